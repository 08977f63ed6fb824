import { z } from "zod";
import { AGENT_API_PATH, AGENT_PROTOCOL } from "../../schema/contract/agent.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { isLoopbackUrl } from "../../schema/settings/agent-url.ts";
import { describeError } from "../log.ts";
import { readBounded } from "../service/bounded-body.ts";
import { AGENT_VERSION } from "../version.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const CALL_TIMEOUT_MS = 10_000;
const ANSWER_MAX_BYTES = 64 * 1_024;
const SKEW_WARN_MS = 30_000;
const SKEW_FAIL_MS = 5 * 60_000;

const health = checksNamed("service");
const clock = checksNamed("clock");
const key = checksNamed("key");
const KEY_MISSING = key.skip("not tried: there is no AGENT_API_KEY of the right form");

interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** Epoch milliseconds by this host's clock, halfway between request and answer. */
  at: number;
  ms: number;
}

/**
 * Checks the service with calls like the agent's own: `/healthz`, its clock, and whether it accepts the key. Doctor
 * does not register, because that would end the agent that runs with this key.
 */
export async function checkService(apiUrl: URL, apiKey: string | null): Promise<Check[]> {
  const base = apiUrl.href.replace(/\/+$/u, "");
  let healthz: Answer;
  try {
    healthz = await ask(`${base}/healthz`, {});
  } catch (error) {
    return [
      health.fail(
        `/healthz: ${describeError(error)}`,
        "check that AGENT_API_URL is the address of a Bellhop deployment",
      ),
    ];
  }
  const poll = await askForJobs(base, apiKey);
  const answers = checkHealth(healthz);
  // A proxy's prefix is valid. Any other path leads to a server that knows no key, which is not the key's fault.
  if (answers.status === "fail" && healthz.status < 500 && apiUrl.pathname !== "/") {
    const path = health.fail(`the address has a path: ${answers.found}`, `set AGENT_API_URL to ${apiUrl.origin}`);
    return [path, checkClock([healthz, poll]), key.skip("not checked: the address is not the deployment's")];
  }
  return [answers, checkClock([healthz, poll]), apiKey === null ? KEY_MISSING : checkKey(poll)];
}

function checkHealth({ status, text, ms, headers }: Answer): Check {
  const body = z.object({ status: z.literal("ok") }).safeParse(parseJson(text));
  if (status === 200 && body.success) {
    return health.ok(
      `/healthz answers in ${ms} ms; this agent ${AGENT_VERSION} speaks wire protocol ${AGENT_PROTOCOL}`,
    );
  }
  if (status >= 300 && status < 400) {
    const location = headers.get("Location") ?? "another address";
    return health.fail(`/healthz redirects to ${location}`, "set AGENT_API_URL to the address that it redirects to");
  }
  if (status >= 500)
    return health.fail(`/healthz answers ${status}`, "check the deployment: it has failed, or is starting");
  return health.fail(
    `/healthz answers ${status}, not as a Bellhop deployment does`,
    "check AGENT_API_URL, and whether a login page or a firewall answers instead",
  );
}

function checkClock(answers: readonly (Answer | Error)[]): Check {
  const skewMs = answers
    .map((answer) => (answer instanceof Error ? null : skewOf(answer)))
    .find((skew) => skew !== null);
  if (skewMs === undefined || skewMs === null)
    return clock.skip("not compared: no answer of the service contains the time");
  const found = `this host is ${(Math.abs(skewMs) / 1_000).toFixed(1)} s ${skewMs < 0 ? "behind" : "ahead of"} the service`;
  const advice = "set this host's clock by NTP (timedatectl set-ntp true; on Windows w32tm /resync)";
  if (Math.abs(skewMs) > SKEW_FAIL_MS) return clock.fail(found, advice);
  if (Math.abs(skewMs) > SKEW_WARN_MS) return clock.warn(found, advice);
  return clock.ok(found);
}

/**
 * How far this host's clock is ahead; null when the answer has no time. workerd itself sends no Date, but its problems
 * have a timestamp.
 */
function skewOf({ headers, text, at }: Answer): number | null {
  const date = Date.parse(headers.get("Date") ?? "");
  // The header has whole seconds, on average half a second less than the time.
  if (!Number.isNaN(date)) return at - (date + 500);
  const problem = problemSchema.safeParse(parseJson(text));
  return problem.success ? at - Date.parse(problem.data.timestamp) : null;
}

/**
 * A poll without a session. The key is checked first: a wrong one gets 401, a right one 409 `register_again`. The call
 * reaches no Durable Object and records nothing.
 */
async function askForJobs(base: string, apiKey: string | null): Promise<Answer | Error> {
  const headers: Record<string, string> = apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
  try {
    return await ask(`${base}${AGENT_API_PATH}/jobs?capacity=0&held=`, headers);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function checkKey(answer: Answer | Error): Check {
  if (answer instanceof Error) {
    return key.fail(
      `no answer: ${describeError(answer)}`,
      "try again, and check the network between this host and the service",
    );
  }
  const { status, text } = answer;
  const problem = problemSchema.safeParse(parseJson(text));
  const code = problem.success ? problem.data.code : null;
  if (status === 409 && code === "register_again") return key.ok("the service accepts AGENT_API_KEY");
  if (status === 401) {
    return key.fail(
      "the service does not know AGENT_API_KEY",
      "set it to the key that was shown when the agent was created or its key was last regenerated",
    );
  }
  if (status >= 500 || status === 429) {
    return key.warn(`the service could not check the key now (HTTP ${status})`, "try again in a minute");
  }
  return key.fail(
    `the answer does not come from a Bellhop deployment: HTTP ${status}${code === null ? "" : ` ${code}`}`,
    "check AGENT_API_URL, and that the deployment is not older than this agent",
  );
}

async function ask(url: string, headers: Record<string, string>): Promise<Answer> {
  const [sentAt, begun] = [Date.now(), performance.now()];
  const response = await fetch(url, {
    headers: { Accept: "application/json", "User-Agent": `bellhop-agent/${AGENT_VERSION}`, ...headers },
    // The key must not follow a redirect to another host.
    redirect: "manual",
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    ...(isLoopbackUrl(url) ? { proxy: false as const } : {}),
    ...(url.startsWith("https:") ? { tls: { rejectUnauthorized: true } } : {}),
  });
  const ms = performance.now() - begun;
  const text = await readBounded(response.body, ANSWER_MAX_BYTES);
  return { status: response.status, headers: response.headers, text, at: sentAt + ms / 2, ms: Math.round(ms) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
