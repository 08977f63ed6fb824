import { logWarning } from "../log.ts";
import { ProblemError } from "../problem.ts";

const TIMEOUT_MS = 5_000;
const ANSWER_MAX_BYTES = 256 * 1_024;
const RETRY_AFTER_SECONDS = 5;

export interface JsonAnswer {
  status: number;
  body: unknown;
}

/** Fetches JSON from the issuer: no redirects, within 5 s and 256 KiB. Throws `unavailable` otherwise. */
export async function fetchJson(url: string, init: RequestInit = {}): Promise<JsonAnswer> {
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, body: JSON.parse(await readText(response)) };
  } catch (error) {
    throw issuerUnavailable(`${new URL(url).origin}: ${String(error)}`, error);
  }
}

/** 503: the caller has done nothing wrong. The log has the details. */
export function issuerUnavailable(why: string, cause?: unknown): ProblemError {
  logWarning("the OIDC issuer did not answer as it should", { why });
  return new ProblemError("unavailable", "The OIDC issuer does not answer. Try again in a moment.", {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
    cause,
  });
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
