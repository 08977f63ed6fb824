import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { LineLimit } from "../services/line-limit.ts";
import { logDebug, logInfo, logWarning, withLogFields } from "../services/log.ts";
import type { LogFields } from "../services/log.ts";
import type { AppEnv } from "./app-types.ts";

const REQUEST_ID = /^[\w.:-]{1,128}$/u;
const OUR_ID = /^[a-z]{2,4}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** One for the isolate: whoever sends refused requests without end does not fill the log with them. */
const refusals = new LineLimit({ perMinute: 30 });

/**
 * Gives the request its id, which the answer carries as `X-Request-Id` and every line of the log that the request brings
 * about, and writes one line about it: failures and refusals, what changed something (INFO), everything else (DEBUG).
 * The line names the pattern of the path, never the path: keys stand in some.
 */
export const traceRequest = createMiddleware<AppEnv>(async (context, next) => {
  const requestId = requestIdOf(context);
  const startedAt = performance.now();
  context.set("requestId", requestId);
  await withLogFields({ requestId }, async () => {
    await next();
    // The answer that opens a WebSocket is the object's own, and takes no further header.
    if (context.res.status !== 101) {
      context.res.headers.set("X-Request-Id", requestId);
      // RFC 9110, 6.6.1; workerd by itself sends none. The console tells by it that a device's clock is wrong.
      context.res.headers.set("Date", new Date().toUTCString());
    }
    logRequest(context, performance.now() - startedAt);
  });
});

/** What a proxy of one's own has named it, or an id of ours: a caller's own word is not looked at. */
function requestIdOf(context: Context<AppEnv>): string {
  const header = context.get("deps").settings.requestIdHeader;
  const named = header === null ? "" : (context.req.header(header) ?? "");
  return REQUEST_ID.test(named) ? named : crypto.randomUUID();
}

function logRequest(context: Context<AppEnv>, durationMs: number): void {
  const { method } = context.req;
  const { status } = context.res;
  const route = context.get("route") ?? null;
  const fields: LogFields = {
    method,
    route,
    status,
    durationMs: Math.round(durationMs),
    ...idsOf(context, route),
    ...context.get("logFields"),
  };
  if (status >= 400) {
    const limited = refusals.admit(`${status} ${method} ${route}`, Date.now());
    if (limited === null) return;
    const log = status >= 500 ? logWarning : logInfo;
    return log(status >= 500 ? "a request failed" : "a request was refused", { ...fields, ...limited });
  }
  const isRead = method === "GET" || method === "HEAD";
  if (context.get("isIdle") ?? isRead) logDebug("a request was answered", fields);
  else logInfo("a request was answered", fields);
}

/** The id in the path, under the name that it has elsewhere: `/executions/{id}` gives `executionId`. */
function idsOf(context: Context<AppEnv>, route: string | null): LogFields {
  const resource = /\/(\w+)s\/\{id\}/u.exec(route ?? "")?.[1];
  const id = context.req.param("id");
  // Somebody may put anything there; what is logged is what we could have made.
  return resource === undefined || id === undefined || !OUR_ID.test(id) ? {} : { [`${resource}Id`]: id };
}
