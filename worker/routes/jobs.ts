import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { requirePermission } from "../http/authenticate.ts";
import { only } from "../http/methods.ts";
import { answer } from "../http/respond.ts";
import { getJob } from "../services/jobs/get.ts";

/** `/api/v1/automation/jobs` (design 4, "Management"). */
export const jobsRoutes = new Hono<AppEnv>();

jobsRoutes.get("/:id", requirePermission("automation:read"), async (c) =>
  answer(c, await getJob(c.var.deps, c.req.param("id"))),
);
jobsRoutes.all("/:id", only("GET"));
