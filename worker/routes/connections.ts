import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createConnection } from "../services/connections/create.ts";
import { deleteConnection } from "../services/connections/delete.ts";
import { getConnection } from "../services/connections/get.ts";
import { listConnectionViews } from "../services/connections/list.ts";
import { setConnectionEnabled } from "../services/connections/set-enabled.ts";
import { updateConnection } from "../services/connections/update.ts";

/** `/api/v1/automation/connections` (design 4, "Management"). */
export const connectionsRoutes = new Hono<AppEnv>();

const mayRead = requirePermission("automation:read");
const mayWrite = requirePermission("connections:write");

connectionsRoutes.get("/", mayRead, async (c) => answerPage(c, await listConnectionViews(c.var.deps, c.req.query())));
connectionsRoutes.post("/", mayWrite, async (c) =>
  created(c, await createConnection(c.var.deps, c.var.principal.actor, await readBody(c))),
);
connectionsRoutes.all("/", only("GET", "POST"));

connectionsRoutes.get("/:id", mayRead, async (c) => answer(c, await getConnection(c.var.deps, c.req.param("id"))));
connectionsRoutes.patch("/:id", mayWrite, async (c) =>
  answer(c, await updateConnection(c.var.deps, c.var.principal.actor, c.req.param("id"), await readBody(c))),
);
connectionsRoutes.delete("/:id", mayWrite, async (c) =>
  answer(c, await deleteConnection(c.var.deps, c.var.principal.actor, c.req.param("id"))),
);
connectionsRoutes.all("/:id", only("GET", "PATCH", "DELETE"));

connectionsRoutes.post("/:id/enable", mayWrite, async (c) =>
  answer(c, await setConnectionEnabled(c.var.deps, c.var.principal.actor, c.req.param("id"), true)),
);
connectionsRoutes.all("/:id/enable", only("POST"));

connectionsRoutes.post("/:id/disable", mayWrite, async (c) =>
  answer(c, await setConnectionEnabled(c.var.deps, c.var.principal.actor, c.req.param("id"), false)),
);
connectionsRoutes.all("/:id/disable", only("POST"));
