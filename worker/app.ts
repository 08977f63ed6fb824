import { Hono } from "hono";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { AppEnv } from "./http/app-types.ts";
import { authenticate } from "./http/authenticate.ts";
import { CachingRouter } from "./http/caching-router.ts";
import { pageForNothing, serveConsole } from "./http/console/serve.ts";
import { discardUnread } from "./http/discard-unread.ts";
import { problemResponse } from "./http/problem-response.ts";
import { mountEndpoints } from "./http/endpoint.ts";
import { traceRequest } from "./http/trace-request.ts";
import { takeTurns } from "./http/take-turns.ts";
import { shownPath } from "./http/shown-path.ts";
import { endpoints } from "./routes/endpoints.ts";
import { createDeps } from "./services/deps.ts";
import { logError } from "./services/log.ts";
import { ProblemError } from "./services/problem.ts";
import { databaseProblem } from "./services/unavailable.ts";
import { failureMessage } from "./store/errors.ts";

/** The Hono app: every route, and the only place that turns errors into responses. */
export function createApp(): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ router: new CachingRouter() });
  // One middleware, because each costs every call.
  app.use((context, next) =>
    takeTurns(() => {
      const keepAlive = (work: Promise<unknown>) => context.executionCtx.waitUntil(work);
      context.set("deps", createDeps(context.env, keepAlive));
      return discardUnread(context.req.raw, () => traceRequest(context, next));
    }),
  );
  mountEndpoints(app, endpoints);
  app.all("/api/v1/automation/webhooks/*", () => {
    throw new ProblemError(
      "webhook_not_found",
      "The address of a webhook ends with its key. Copy the address from the workflow.",
    );
  });
  // Authenticate before 404, so that anonymous callers cannot probe for paths.
  app.all("/api/v1/automation/*", authenticate);
  serveConsole(app);
  app.notFound(async (context) => {
    const problem = new ProblemError(
      "not_found",
      "There is nothing at this address. Check its path and method: /docs lists every address.",
    );
    const answer = answerWith(context, problem);
    return (await pageForNothing(context)) ?? answer;
  });
  app.onError((error, context) => {
    const problem = error instanceof ProblemError ? error : databaseProblem(error);
    if (problem !== null) return answerWith(context, problem);
    if (error instanceof HTTPException) {
      return answerWith(context, new ProblemError("invalid_request", error.message, { cause: error }));
    }
    logError("request failed", {
      requestId: context.get("requestId"),
      route: context.get("route") ?? null,
      error: describe(error),
    });
    return answerWith(
      context,
      new ProblemError(
        "internal_error",
        "The service failed to process the request. Try again, or search the log for the request id.",
      ),
    );
  });
  return app;
}

/** The response for a problem. The request's log line gets its code and, when the service is unavailable, the reason. */
function answerWith(context: Context<AppEnv>, problem: ProblemError): Response {
  context.set("problemCode", problem.code);
  if (problem.code === "unavailable") {
    const reason = problem.cause === undefined ? problem.message : failureMessage(problem.cause);
    context.set("logFields", { ...context.get("logFields"), error: reason });
  }
  const instance = shownPath(context.req.path);
  return problemResponse(problem, { instance, now: Date.now(), requestId: context.get("requestId") });
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
