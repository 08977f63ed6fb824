import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { systemLookup } from "../../network-guard.ts";
import { exchange, type HttpRequest } from "../http/exchange.ts";
import type { Route, SocketStage } from "../http/open-socket.ts";
import { keepingPlainHere } from "../http/proxy.ts";
import type { ReadBody, ReadOptions } from "../http/read-body.ts";
import { responseOutput } from "../http/response-output.ts";
import { ExecutorFailure, jobEnded } from "./failures.ts";
import { parsedObject } from "./json-members.ts";
import { retryAfterMs } from "../../../schema/contract/retry-after.ts";
import { pause } from "./pause.ts";
import { retryPauseMs } from "./retry-pause.ts";

/** The limit for one answer. A half-open connection must not use up the time of the whole job. */
const ANSWER_TIMEOUT_MS = 30_000;
/** The time that must remain for the request itself after a wait for a rate limit. */
const REQUEST_ROOM_MS = 2_000;
const WHEN_UNTRUSTED =
  "Install the issuer's certificate on the agent's host, where the system or NODE_EXTRA_CA_CERTS finds it";
/** Code, verb and remedy of a request that timed out, by the stage it had reached. */
const TOO_SLOW = {
  lookup: ["unreachable", "was not found by DNS", " Check the DNS that the agent's host uses."],
  dial: ["unreachable", "did not accept a connection", " Check host, port and the firewalls in between."],
  proxy: ["unreachable", "was not reached through the proxy", " Check the proxy's address and rules."],
  tls: ["tls_error", "made no secure connection", " Check that this port speaks TLS."],
  open: ["no_answer", "did not answer", ""],
} as const satisfies Record<SocketStage, readonly [string, string, string]>;

export interface JsonApiOptions {
  /** The peer's name in messages: "Slack". */
  peer: string;
  /** The job's signal, which is aborted when the job has to end. */
  signal: AbortSignal;
  /** The job's time, counted from here. */
  timeoutMs: number;
  /** Texts that must not be split where an answer is cut. */
  secrets: readonly string[];
  answerTimeoutMs?: number | undefined;
  environment?: Route["environment"];
}

export interface ApiRequest extends ReadOptions {
  method: string;
  url: URL;
  headers: OutgoingHttpHeaders;
  /** A string is sent as JSON text. */
  json?: JsonObject | string | undefined;
  /** Certificates, identity, proxy and stages, if they belong to the connection. */
  route?: Partial<Route>;
  /** Says what may have been done when no answer arrives, and what to do then; null for a request that only reads. */
  mayHave: string | null;
}

export interface ApiAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  /** The parsed body, if it is a JSON object; for a cut one, the simple members at its beginning. */
  members: JsonObject;
  /** The output of the action: `{statusCode, body, truncated?}`. */
  output: JsonObject;
}

export interface JsonApi {
  /**
   * Sends one request and returns an answer with any status but 429 and redirects; a broken answer with a status of 400
   * or more is returned as far as it arrived. Only a 429, which means that nothing was done, makes it send the request
   * again: after the peer's Retry-After if the job's time allows, at most eight times. Throws `unreachable`,
   * `tls_error`, `connection_lost`, `invalid_response`, `no_answer`, `redirect_not_followed`, `rate_limited` or
   * `job_ended`.
   */
  call(request: ApiRequest): Promise<ApiAnswer>;
}

/**
 * A client of one vendor's JSON API, with the agent's proxies and authorities. It may reach private addresses:
 * ALLOW_PRIVATE_NETWORK applies only to the HTTP executor (docs/design/connections.md#network-guard).
 */
export function createJsonApi(options: JsonApiOptions): JsonApi {
  const startedAt = performance.now();
  const call = async (request: ApiRequest): Promise<ApiAnswer> => {
    await dueTimers();
    for (let refusals = 1; ; refusals += 1) {
      const answer = await callOnce(options, request);
      if (answer.status !== 429) return answer;
      const wantedMs = retryAfterMs(answer.headers["retry-after"], Date.now());
      const leftMs = options.timeoutMs - (performance.now() - startedAt);
      const pauseMs = retryPauseMs(wantedMs, refusals);
      if (pauseMs + REQUEST_ROOM_MS > leftMs) throw rateLimited(options.peer, wantedMs, answer.output, refusals);
      await pause(pauseMs, options.signal, () =>
        jobEnded(`It was waiting for the rate limit of ${options.peer}; nothing was done.`),
      );
    }
  };
  return { call };
}

/** `wantedMs`: the wait that the peer asked for, or null; `refusals`: how many times the request was sent. */
export function rateLimited(peer: string, wantedMs: number | null, output: JsonObject, refusals = 1): ExecutorFailure {
  const message =
    `${peer} refused the request because too many were sent (rate limit), and did nothing. ` +
    `${whyGivenUp(wantedMs, refusals)}: give the action ${wantedMs === null ? "a retry" : "more time or a retry"}, or send less.`;
  return new ExecutorFailure("rate_limited", message, output);
}

function whyGivenUp(wantedMs: number | null, refusals: number): string {
  if (wantedMs === null) return "It does not say for how long, and the agent does not guess";
  const wait = `It asks to wait ${Math.ceil(wantedMs / 1_000)} s`;
  return refusals === 1
    ? `${wait}, and the wait and another attempt do not fit into this action's time`
    : `${wait}, and refused ${refusals} attempts, each after a longer pause`;
}

/**
 * Long work on a request delays timers, such as the one that ends the job. They run before anything is sent, because a
 * fast connection could otherwise overtake them.
 */
async function dueTimers(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, 0);
  await promise;
}

async function callOnce(options: JsonApiOptions, request: ApiRequest): Promise<ApiAnswer> {
  const { peer, signal, secrets, answerTimeoutMs = ANSWER_TIMEOUT_MS } = options;
  const { url, mayHave, maxBytes, take } = request;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), answerTimeoutMs);
  let stage: SocketStage = "lookup";
  const route: Route = {
    target: url,
    signal: AbortSignal.any([signal, limit.signal]),
    verifySsl: true,
    whenUntrusted: WHEN_UNTRUSTED,
    allowPrivateNetwork: true,
    lookup: systemLookup,
    environment: keepingPlainHere(url, options.environment ?? process.env),
    ...request.route,
    onStage: (reached) => {
      stage = reached;
      request.route?.onStage?.(reached);
    },
  };
  const explain = (error: ExecutorFailure): ExecutorFailure => {
    const late = error.code === "job_ended" && limit.signal.aborted && !signal.aborted;
    const [code, verb, remedy] = late ? TOO_SLOW[stage] : [error.code, "", ""];
    const what = late ? `${peer} at ${url.host} ${verb} within ${answerTimeoutMs / 1_000} s.${remedy}` : error.message;
    const consequence = mayHave === null ? "" : stage === "open" ? ` ${mayHave}` : " Nothing was sent.";
    return new ExecutorFailure(code, `${what}${consequence}`, error.output, { cause: error });
  };
  try {
    const response = await exchange(route, outgoing(request));
    const taking = (part: Uint8Array): void => {
      timer.refresh();
      take?.(part);
    };
    const taken = take !== undefined && response.status < 300;
    const read = await response.read({ maxBytes, take: taken ? taking : undefined });
    const output = withoutHeaders(responseOutput(response, read, secrets));
    if (isRedirect(response.status)) throw redirected(peer, url, response.headers.location, output);
    if (read.brokenOff !== null && (response.status < 400 || signal.aborted))
      throw brokenOff(read, route.signal, { host: url.host, peer, output });
    const members = parsedObject(output["body"] ?? null, read.truncated);
    return { status: response.status, headers: response.headers, members, output: withObject(output, members, read) };
  } catch (error) {
    if (!(error instanceof ExecutorFailure) || error.code === "redirect_not_followed") throw error;
    throw explain(error);
  } finally {
    clearTimeout(timer);
  }
}

function outgoing({ method, headers, json }: ApiRequest): HttpRequest {
  return {
    method,
    headers: {
      accept: "application/json",
      "user-agent": "bellhop-agent",
      ...(json === undefined ? {} : { "content-type": "application/json; charset=utf-8" }),
      ...headers,
    },
    body: json === undefined ? null : Buffer.from(typeof json === "string" ? json : JSON.stringify(json)),
  };
}

/** JSON with another content type is returned as JSON, too. */
function withObject(output: JsonObject, members: JsonObject, read: ReadBody): JsonObject {
  const undeclared = typeof output["body"] === "string" && !read.truncated && Object.keys(members).length > 0;
  return undeclared ? { ...output, body: members } : output;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400 && status !== 304;
}

function redirected(peer: string, url: URL, location: string | undefined, output: JsonObject): ExecutorFailure {
  const to = location !== undefined && URL.canParse(location, url.href) ? ` to ${new URL(location, url).origin}` : "";
  const message =
    `${peer} at ${url.host} redirected the request${to}. Redirects are not followed, because they would take the ` +
    "credential to another address: write the right address into the connection.";
  return new ExecutorFailure("redirect_not_followed", message, withoutBody(output));
}

function brokenOff(
  read: ReadBody,
  signal: AbortSignal,
  { host, peer, output }: { host: string; peer: string; output: JsonObject },
): ExecutorFailure {
  if (signal.aborted) return jobEnded(`The answer of ${peer} had begun to arrive.`, output);
  const message = `The answer of ${peer} at ${host} (status ${String(output["statusCode"])}) broke off: ${read.brokenOff}.`;
  return new ExecutorFailure("connection_lost", message, output);
}

/** The agent has read the vendor's headers. A workflow does not need them. */
function withoutHeaders(output: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(output).filter(([name]) => name !== "headers"));
}

function withoutBody({ statusCode = null }: JsonObject): JsonObject {
  return { statusCode };
}
