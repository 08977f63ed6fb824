import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import type { AppEnv } from "./http/app-types.ts";
import { problemResponse } from "./http/problem-response.ts";
import { mountEndpoints } from "./http/endpoint.ts";
import { agentRoutes } from "./routes/agent.ts";
import { endpoints } from "./routes/endpoints.ts";
import { healthRoutes } from "./routes/health.ts";
import { managementRoutes } from "./routes/management.ts";
import { webhookRoutes } from "./routes/webhooks.ts";
import { createDeps } from "./services/deps.ts";
import { logError } from "./services/log.ts";
import { ProblemError } from "./services/problem.ts";
import { databaseProblem } from "./services/unavailable.ts";

/** The Hono app: every route, and the one place that turns errors into responses. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    context.set("requestId", context.req.header("CF-Ray") ?? crypto.randomUUID());
    context.set("deps", createDeps(context.env));
    await next();
  });
  mountEndpoints(app, endpoints);
  app.route("/", healthRoutes);
  // Before the management routes: a webhook's caller shows its own secret, not a management token.
  app.route("/api/v1/automation/webhooks", webhookRoutes);
  app.route("/api/v1/agent", agentRoutes);
  app.route("/api/v1/automation", managementRoutes);
  app.notFound((context) =>
    problemResponse(
      new ProblemError(
        "not_found",
        "There is nothing at this address. Check its path: what there is begins with /api/v1/automation or /api/v1/agent.",
      ),
      { instance: context.req.path, now: Date.now(), requestId: context.get("requestId") },
    ),
  );
  app.onError((error, context) => {
    const place = { instance: context.req.path, now: Date.now(), requestId: context.get("requestId") };
    const problem = error instanceof ProblemError ? error : databaseProblem(error);
    if (problem !== null) return problemResponse(problem, place);
    if (error instanceof HTTPException) {
      return problemResponse(new ProblemError("invalid_request", error.message, { cause: error }), place);
    }
    logError("request failed", { requestId: place.requestId, path: context.req.path, error: describe(error) });
    return problemResponse(
      new ProblemError(
        "internal_error",
        "Something failed on our side. Try again; the request id finds it in the log.",
      ),
      place,
    );
  });
  return app;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
