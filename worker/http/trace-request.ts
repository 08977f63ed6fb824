import type { Context, Next } from "hono";
import { LineLimit } from "../services/line-limit.ts";
import { logDebug, logInfo, logWarning, withLogFields } from "../services/log.ts";
import type { LogFields } from "../services/log.ts";
import type { AppEnv } from "./app-types.ts";

const REQUEST_ID = /^[\w.:-]{1,128}$/u;
const OUR_ID = /^[a-z]{2,4}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

/** One instance for the isolate, so that a client with endless refused requests cannot fill the log. */
const refusals = new LineLimit({ perMinute: 30 });

/**
 * Gives the request an id, which is in the answer (`X-Request-Id`) and in every log line of the request. Sets the
 * headers of all answers. Writes one line for the request: failures and refusals with the code of the problem, changes
 * (INFO), everything else (DEBUG). The line has the pattern of the path, because some paths contain keys.
 */
export function traceRequest(context: Context<AppEnv>, next: Next): Promise<void> {
  const requestId = requestIdOf(context);
  const startedAt = performance.now();
  context.set("requestId", requestId);
  return withLogFields({ requestId }, async () => {
    await next();
    // The object itself answers with the WebSocket, and its headers are immutable.
    if (context.res.status !== 101) {
      const { headers } = context.res;
      headers.set("X-Request-Id", requestId);
      // RFC 9110, 6.6.1; workerd sends none. The console uses it to detect a wrong clock on the device.
      headers.set("Date", new Date().toUTCString());
      // Browsers must not guess types: the console's page may run scripts of this origin, so stored text that the API
      // returns must not pass for one.
      headers.set("X-Content-Type-Options", "nosniff");
      if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
    }
    logRequest(context, performance.now() - startedAt);
  });
}

/** The id from the operator's own proxy, or a new one. A caller cannot choose it. */
function requestIdOf(context: Context<AppEnv>): string {
  const header = context.get("deps").settings.requestIdHeader;
  const named = header === null ? "" : (context.req.header(header) ?? "");
  return REQUEST_ID.test(named) ? named : crypto.randomUUID();
}

function logRequest(context: Context<AppEnv>, durationMs: number): void {
  const { method } = context.req;
  const { status } = context.res;
  const route = context.get("route") ?? null;
  const code = context.get("problemCode");
  const fields: LogFields = {
    method,
    route,
    status,
    code,
    durationMs: Math.round(durationMs),
    ...idsOf(context, route),
    ...context.get("logFields"),
  };
  if (status >= 400) {
    // Routine: the agent registers next, and that is logged. Checks of an agent key also get this answer.
    if (code === "register_again") return logDebug("a request was refused", fields);
    const limited = refusals.admit(`${status} ${method} ${route}`, Date.now());
    if (limited === null) return;
    const log = status >= 500 ? logWarning : logInfo;
    return log(status >= 500 ? "a request failed" : "a request was refused", { ...fields, ...limited });
  }
  const isRead = method === "GET" || method === "HEAD";
  if (context.get("isIdle") ?? isRead) logDebug("a request was answered", fields);
  else logInfo("a request was answered", fields);
}

/** The id in the path, under its usual name: `/executions/{id}` gives `executionId`. */
function idsOf(context: Context<AppEnv>, route: string | null): LogFields {
  const resource = /\/(\w+)s\/\{id\}/u.exec(route ?? "")?.[1];
  const id = context.req.param("id");
  // A caller may put anything there, so only ids in this service's own form are logged.
  return resource === undefined || id === undefined || !OUR_ID.test(id) ? {} : { [`${resource}Id`]: id };
}
