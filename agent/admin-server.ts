import type { Problem, ProblemCode } from "../schema/contract/problem.ts";
import { PROBLEM_STATUS, STATUS_PHRASES } from "../schema/contract/problem.ts";
import { createAdminGuard } from "./admin/guard.ts";
import type { Refusal } from "./admin/guard.ts";
import { answerTo } from "./admin/proof.ts";
import type { Ends } from "./admin/proof.ts";
import { answerAdmin } from "./admin/routes.ts";
import type { AdminAnswer, AdminDeps } from "./admin/routes.ts";
import { hasCode } from "./atomic-file.ts";
import type { Clock } from "./clock.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";

/** Higher than the limit of the one route with a body, so that this route answers an oversized body itself. */
const SERVER_BODY_MAX_BYTES = 2 * 1_024 * 1_024;

const HOST = "127.0.0.1";

export interface AdminServerOptions extends AdminDeps {
  port: number;
  token: string;
  clock: Clock;
  log: Log;
}

export interface AdminServer {
  url: string;
  stop(): Promise<void>;
}

/**
 * The local admin API, on 127.0.0.1 only (docs/design/agent-protocol.md#admin-api). Throws StartRefused when the port
 * is taken.
 */
export function startAdminServer(options: AdminServerOptions): AdminServer {
  const { port, token, clock, log } = options;
  const guard = createAdminGuard({ token, monotonicMs: () => clock.monotonicMs() });
  try {
    const server = Bun.serve({
      hostname: HOST,
      port,
      // Otherwise Bun shows errors as pages whenever NODE_ENV asks for it.
      development: false,
      // With `development` off, Bun lets several processes listen on one port. Another user's process could then
      // receive requests that carry the token.
      reusePort: false,
      maxRequestBodySize: SERVER_BODY_MAX_BYTES,
      fetch: (request, server) => {
        const proof = answerTo(request.headers.get("Authorization"), { token, ends: endsOf(request, server) });
        return answer(request, { ...options, proof }, guard.check(request, proof));
      },
      error: (error) => {
        log.error("the admin API failed", { error: describeError(error) });
        return problem(
          { problem: "internal_error", detail: "The agent could not answer the request. Its log has the reason." },
          "/",
          clock.now(),
        );
      },
    });
    return { url: `http://${HOST}:${server.port}`, stop: () => server.stop(true) };
  } catch (error) {
    if (!hasCode(error, "EADDRINUSE") && !hasCode(error, "EACCES")) throw error;
    throw new StartRefused(
      EXIT.config,
      hasCode(error, "EADDRINUSE")
        ? `ADMIN_PORT ${port} on ${HOST} is taken, perhaps by another agent: set ADMIN_PORT to a free port, or to 0 for any`
        : `this user may not listen on ADMIN_PORT ${port}: set ADMIN_PORT to a port above 1023`,
      { cause: error },
    );
  }
}

/** Both ends of a connection, as the agent sees them. A client that is gone has none, and no proof matches. */
function endsOf(request: Request, server: Bun.Server<undefined>): Ends {
  const client = server.requestIP(request);
  return { agent: `${HOST}:${server.port}`, client: client === null ? "" : `${client.address}:${client.port}` };
}

async function answer(
  request: Request,
  options: AdminServerOptions & { proof: string | null },
  refusal: Refusal | null,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  const { clock, log } = options;
  if (refusal !== null) {
    const response = problem({ problem: refusal.code, detail: refusal.detail }, pathname, clock.now());
    if (refusal.retryAfterSeconds !== undefined) response.headers.set("Retry-After", String(refusal.retryAfterSeconds));
    if (refusal.code === "unauthorized") response.headers.set("WWW-Authenticate", "Bearer");
    return response;
  }
  let result: AdminAnswer;
  try {
    result = await answerAdmin(request, pathname, options);
  } catch (error) {
    log.error("the admin API could not complete a request", { path: pathname, error: describeError(error) });
    result = {
      problem: "internal_error",
      detail: "The agent could not complete the request, perhaps because its disk is full. Its log has the reason.",
    };
  }
  if ("problem" in result) return problem(result, pathname, clock.now());
  if (request.method !== "GET")
    log.info("the admin API changed a credential", { method: request.method, path: pathname });
  const headers = { "Cache-Control": "no-store" };
  if ("text" in result) {
    return new Response(result.text, {
      headers: { ...headers, "Content-Type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  }
  return Response.json({ success: true, data: result.data }, { status: result.status, headers });
}

function problem(answered: Extract<AdminAnswer, { problem: ProblemCode }>, instance: string, now: number): Response {
  const status = PROBLEM_STATUS[answered.problem];
  const body: Problem = {
    type: "about:blank",
    title: STATUS_PHRASES[status],
    status,
    code: answered.problem,
    detail: answered.detail,
    timestamp: new Date(now).toISOString(),
    instance,
    ...(answered.errors === undefined ? {} : { errors: answered.errors }),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "Content-Type": "application/problem+json",
      "Cache-Control": "no-store",
      ...(answered.allow === undefined ? {} : { Allow: answered.allow }),
    },
  });
}
