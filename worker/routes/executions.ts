import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { answer, answerPage } from "../http/respond.ts";
import { cancelExecution } from "../services/executions/cancel.ts";
import { getExecution } from "../services/executions/get.ts";
import { listExecutionSummaries } from "../services/executions/list.ts";

/** `/api/v1/automation/executions` (design 4, "Management"). */
export const executionsRoutes = new Hono<AppEnv>();

const mayRead = requirePermission("automation:read");
const mayExecute = requirePermission("automation:execute");

executionsRoutes.get("/", mayRead, async (c) => answerPage(c, await listExecutionSummaries(c.var.deps, c.req.query())));
executionsRoutes.all("/", only("GET"));

executionsRoutes.get("/:id", mayRead, async (c) => answer(c, await getExecution(c.var.deps, c.req.param("id"))));
executionsRoutes.all("/:id", only("GET"));

executionsRoutes.post("/:id/cancel", mayExecute, async (c) =>
  answer(c, await cancelExecution(c.var.deps, c.var.principal.actor, c.req.param("id"))),
);
executionsRoutes.all("/:id/cancel", only("POST"));
