import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { authenticate } from "../http/authenticate.ts";
import { agentsRoutes } from "./agents.ts";
import { connectionsRoutes } from "./connections.ts";
import { executionsRoutes } from "./executions.ts";
import { jobsRoutes } from "./jobs.ts";
import { workflowsRoutes } from "./workflows.ts";

/** Everything under `/api/v1/automation` that people and their tools call (design 4, "Management"). */
export const managementRoutes = new Hono<AppEnv>();

managementRoutes.use(async (context, next) => {
  await next();
  context.header("Cache-Control", "no-store");
});
managementRoutes.use(authenticate);
managementRoutes.route("/agents", agentsRoutes);
managementRoutes.route("/connections", connectionsRoutes);
managementRoutes.route("/workflows", workflowsRoutes);
managementRoutes.route("/executions", executionsRoutes);
managementRoutes.route("/jobs", jobsRoutes);
