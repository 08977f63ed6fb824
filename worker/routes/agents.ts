import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { createAgent } from "../services/agents/create.ts";
import { deleteAgent } from "../services/agents/delete.ts";
import { getAgent } from "../services/agents/get.ts";
import { listAgentViews } from "../services/agents/list.ts";
import { regenerateAgentKey } from "../services/agents/regenerate-key.ts";
import { setAgentEnabled } from "../services/agents/set-enabled.ts";
import { updateAgent } from "../services/agents/update.ts";

/** `/api/v1/automation/agents` (design 4, "Management"). */
export const agentsRoutes = new Hono<AppEnv>();

const mayRead = requirePermission("automation:read");
const mayWrite = requirePermission("agents:write");

agentsRoutes.get("/", mayRead, async (c) => answerPage(c, await listAgentViews(c.var.deps, c.req.query())));
agentsRoutes.post("/", mayWrite, async (c) =>
  created(c, await createAgent(c.var.deps, c.var.principal.actor, await readBody(c))),
);
agentsRoutes.all("/", only("GET", "POST"));

agentsRoutes.get("/:id", mayRead, async (c) => answer(c, await getAgent(c.var.deps, c.req.param("id"))));
agentsRoutes.patch("/:id", mayWrite, async (c) =>
  answer(c, await updateAgent(c.var.deps, c.var.principal.actor, c.req.param("id"), await readBody(c))),
);
agentsRoutes.delete("/:id", mayWrite, async (c) =>
  answer(c, await deleteAgent(c.var.deps, c.var.principal.actor, c.req.param("id"))),
);
agentsRoutes.all("/:id", only("GET", "PATCH", "DELETE"));

agentsRoutes.post("/:id/regenerate-key", mayWrite, async (c) =>
  created(c, await regenerateAgentKey(c.var.deps, c.var.principal.actor, c.req.param("id"))),
);
agentsRoutes.all("/:id/regenerate-key", only("POST"));

agentsRoutes.post("/:id/enable", mayWrite, async (c) =>
  answer(c, await setAgentEnabled(c.var.deps, c.var.principal.actor, c.req.param("id"), true)),
);
agentsRoutes.all("/:id/enable", only("POST"));

agentsRoutes.post("/:id/disable", mayWrite, async (c) =>
  answer(c, await setAgentEnabled(c.var.deps, c.var.principal.actor, c.req.param("id"), false)),
);
agentsRoutes.all("/:id/disable", only("POST"));
