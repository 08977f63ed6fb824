import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { answer, answerPage } from "../http/respond.ts";
import { getPool } from "../services/pools/get.ts";
import { listPools } from "../services/pools/list.ts";

/** `/api/v1/automation/pools` (design 4, "Management"). */
export const poolsRoutes = new Hono<AppEnv>();

const mayRead = requirePermission("automation:read");

poolsRoutes.get("/", mayRead, async (c) => answerPage(c, await listPools(c.var.deps, c.req.query())));
poolsRoutes.all("/", only("GET"));

poolsRoutes.get("/:id", mayRead, async (c) => answer(c, await getPool(c.var.deps, c.req.param("id"))));
poolsRoutes.all("/:id", only("GET"));
