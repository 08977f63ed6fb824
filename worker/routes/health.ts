import { Hono } from "hono";
import type { AppEnv } from "../http/app-types.ts";
import { readinessProblems } from "../services/readiness.ts";

/** `/healthz`: this process answers. `/readyz`: it can serve, or it says what is missing. */
export const healthRoutes = new Hono<AppEnv>();

healthRoutes.get("/healthz", (context) => context.json({ status: "ok" }));

healthRoutes.get("/readyz", async (context) => {
  const problems = await readinessProblems(context.get("deps"));
  const ready = problems.length === 0;
  return context.json({ status: ready ? "ready" : "not ready", problems }, ready ? 200 : 503);
});
