import { z } from "zod";
import {
  AGENT_API_PATH,
  enrolResponseSchema,
  formatHeld,
  heartbeatResponseSchema,
  jobsResponseSchema,
  registerResponseSchema,
  resultsResponseSchema,
  SESSION_HEADER,
  SESSION_MAX_CHARS,
} from "../schema/contract/agent.ts";
import type { HeartbeatRequest, JobResult, LeaseRef, RegisterRequest } from "../schema/contract/agent.ts";
import { AGENT_CALL_TIMEOUT_MS } from "../schema/limits.ts";
import { hasCode } from "./atomic-file.ts";
import { BodyTooLarge, readBounded } from "./service/bounded-body.ts";
import { CallError } from "./service/call-error.ts";
import { retryAfterMs as readRetryAfter } from "../schema/contract/retry-after.ts";
import { isLoopbackUrl } from "../schema/settings/agent-url.ts";
import { AGENT_VERSION } from "./version.ts";

const MIB = 1_024 * 1_024;
const ANSWER_MAX_BYTES = 40 * MIB;
const PROBLEM_MAX_BYTES = 64 * 1_024;
/** After a heartbeat that hangs there must be time for another before the agent counts as offline. */
const HEARTBEAT_TIMEOUT_MS = 10_000;

export interface ServiceClientOptions {
  /** The deployment's address. */
  apiUrl: string;
  /** Null before the enrolment, whose call alone needs none. */
  apiKey: string | null;
  /** The limit for a whole call, including its body. */
  callTimeoutMs?: number;
  answerMaxBytes?: number;
}

interface Call<T> {
  method: "GET" | "POST";
  path: string;
  answer: z.ZodType<T>;
  session?: string;
  body?: unknown;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
}

const problemAnswerSchema = z.object({ code: z.string().max(64), detail: z.string().max(2_000) });
const nothingSchema = z.unknown().optional();

export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * The agent's calls to the service (docs/design/agent-protocol.md#calls). Each ends within 30 seconds and throws only
 * CallError. fetch reads HTTPS_PROXY and NO_PROXY itself; calls to loopback use no proxy.
 */
export function createServiceClient(options: ServiceClientOptions) {
  const { apiUrl, apiKey, callTimeoutMs = AGENT_CALL_TIMEOUT_MS, answerMaxBytes = ANSWER_MAX_BYTES } = options;
  const isLoopback = isLoopbackUrl(apiUrl);
  /** The newer session from the service. It is equivalent to the older one and saves the service a database read. */
  let renewal: { of: string; by: string } | null = null;

  async function call<T>(request: Call<T>): Promise<T> {
    const { path, signal, timeoutMs = callTimeoutMs } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const over = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      // fetch may ignore its signal, and a call that hangs would hang its loop.
      return await Promise.race([exchange(request, over), rejectedBy(over)]);
    } catch (error) {
      throw asCallError(error, path, { timedOut: timeout.aborted, stopped: signal?.aborted === true, timeoutMs });
    }
  }

  async function exchange<T>({ method, path, answer, session, body }: Call<T>, signal: AbortSignal): Promise<T> {
    const response = await orOnceMore(signal, () =>
      fetch(`${apiUrl}${AGENT_API_PATH}${path}`, {
        method,
        headers: {
          Accept: "application/json",
          "Accept-Encoding": "identity",
          ...(apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` }),
          "User-Agent": `bellhop-agent/${AGENT_VERSION}`,
          ...(session === undefined ? {} : { [SESSION_HEADER]: renewal?.of === session ? renewal.by : session }),
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The key must not follow a redirect to another host.
        redirect: "manual",
        // A small body must not unpack to more than the limit of an answer.
        decompress: false,
        signal,
        ...(isLoopback ? { proxy: false as const } : {}),
        // Certificates are checked even with NODE_TLS_REJECT_UNAUTHORIZED=0: each call carries the key.
        ...(apiUrl.startsWith("https:") ? { tls: { rejectUnauthorized: true } } : {}),
      }),
    );
    await refuseCompressed(response, path);
    if (!response.ok) throw await refusal(response, path);
    const renewed = response.headers.get(SESSION_HEADER);
    if (session !== undefined && renewed !== null && renewed.length <= SESSION_MAX_CHARS) {
      renewal = { of: session, by: renewed };
    }
    return parseAnswer(await readBounded(response.body, answerMaxBytes), answer, path);
  }

  return {
    enrol: (code: string) => call({ method: "POST", path: "/enrol", body: { code }, answer: enrolResponseSchema }),
    register: (request: RegisterRequest, signal?: AbortSignal) =>
      call({ method: "POST", path: "/register", body: request, answer: registerResponseSchema, signal }),
    jobs: (session: string, { capacity, held }: { capacity: number; held: LeaseRef[] }, signal?: AbortSignal) =>
      call({
        method: "GET",
        path: `/jobs?${new URLSearchParams({ capacity: String(capacity), held: held.map(formatHeld).join(",") })}`,
        session,
        answer: jobsResponseSchema,
        signal,
      }),
    results: (session: string, results: JobResult[], signal?: AbortSignal) =>
      call({ method: "POST", path: "/results", session, body: { results }, answer: resultsResponseSchema, signal }),
    heartbeat: (session: string, request: HeartbeatRequest, signal?: AbortSignal) =>
      call({
        method: "POST",
        path: "/heartbeat",
        session,
        body: request,
        answer: heartbeatResponseSchema,
        signal,
        timeoutMs: Math.min(callTimeoutMs, HEARTBEAT_TIMEOUT_MS),
      }),
    offline: (session: string, held: LeaseRef[], signal?: AbortSignal) =>
      call({
        method: "POST",
        path: "/offline",
        session,
        body: { held: held.map(formatHeld) },
        answer: nothingSchema,
        signal,
      }),
  };
}

/**
 * The service may close an idle connection just when it is used again (docs/design/http-api.md#connections). Bun
 * repeats only a GET then; every call of an agent may be repeated.
 */
async function orOnceMore<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !hasCode(error, "ECONNRESET")) throw error;
    return work();
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function parseAnswer<T>(text: string, answer: z.ZodType<T>, path: string): T {
  const envelope = z.object({ success: z.literal(true), data: answer }).safeParse(parseJson(text));
  if (envelope.success) return envelope.data.data;
  throw new CallError("invalid_answer", `${pathName(path)} got an answer of an unexpected form`, {
    cause: envelope.error,
  });
}

async function refuseCompressed(response: Response, path: string): Promise<void> {
  const encoding = (response.headers.get("Content-Encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "identity" || encoding === "") return;
  await response.body?.cancel().catch(() => undefined);
  throw new CallError(
    "invalid_answer",
    `${pathName(path)} got a compressed answer (${encoding.slice(0, 40)}), which the agent does not accept`,
  );
}

async function refusal(response: Response, path: string): Promise<CallError> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => undefined);
    const target = response.headers.get("Location") ?? "an address that was not given";
    return new CallError("redirected", `${pathName(path)} was redirected to ${target.slice(0, 200)}`, { status });
  }
  const text = await readBounded(response.body, PROBLEM_MAX_BYTES).catch(() => "");
  const problem = problemAnswerSchema.safeParse(parseJson(text));
  // For an unknown key the agent has its own advice, so the service's text is left out.
  const reason = problem.success && status === 401 ? problem.data.code : undefined;
  const detail = problem.success ? (reason ?? `${problem.data.code}: ${problem.data.detail}`) : "without a reason";
  const retryAfterMs = readRetryAfter(response.headers.get("Retry-After"), Date.now());
  return new CallError("refused", `${pathName(path)} was refused with ${status}, ${detail}`, {
    status,
    ...(problem.success ? { code: problem.data.code } : {}),
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
}

function asCallError(
  error: unknown,
  path: string,
  { timedOut, stopped, timeoutMs }: { timedOut: boolean; stopped: boolean; timeoutMs: number },
): CallError {
  if (error instanceof CallError) return error;
  if (stopped) return new CallError("stopped", `${pathName(path)} was cancelled`, { cause: error });
  if (timedOut) {
    return new CallError("timed_out", `${pathName(path)} got no complete answer within ${timeoutMs / 1_000} s`);
  }
  if (error instanceof BodyTooLarge) {
    return new CallError("invalid_answer", `${pathName(path)} got an answer that is too large`, { cause: error });
  }
  return new CallError("unreachable", `${pathName(path)} did not reach the service`, { cause: error });
}

/** `held` can make a path very long; the log needs only its name. */
function pathName(path: string): string {
  return path.split("?", 1)[0] ?? path;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
