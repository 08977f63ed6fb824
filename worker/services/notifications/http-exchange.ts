import { retryAfterMs } from "../../../schema/contract/retry-after.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { Mask } from "./mask.ts";

/** The rest of a longer answer is not read. */
const BODY_MAX_BYTES = 16_384;
/** The status decides; a slow body must not hold up other messages. */
const BODY_LIMIT_MS = 2_000;

export interface HttpRequest {
  readonly url: string;
  readonly method: "POST" | "GET";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs: number | null;
}

/** One request, without following redirects. Throws when there is no answer; `reasonOf` gives the reason. */
export async function exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
  const { url, ...init } = request;
  const response = await fetch(url, { ...init, redirect: "manual", signal });
  const after = retryAfterMs(response.headers.get("Retry-After"), Date.now());
  return { status: response.status, retryAfterMs: after, text: await beginningOf(response) };
}

/** The result of every HTTP channel for a status other than 2xx. */
export function refusedBy({ status, retryAfterMs, text }: HttpAnswer, mask: Mask, detail = text) {
  const login = status === 401 || status === 403;
  return {
    type: "refused",
    protocol: "http",
    statusCode: status,
    detail: mask(detail),
    retryAfterMs,
    login,
  } as const satisfies ChannelAnswer;
}

/** The reason for a missing answer. The platform's own messages and codes do not help people. */
export function reasonOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "TimeoutError" || name === "AbortError") return "It took too long.";
  return "The connection could not be made, or broke off.";
}

/** Statuses with which Cloudflare's network says that it never reached the other side. */
export function neverArrived(status: number): boolean {
  return status === 521 || status === 522 || status === 523 || status === 525 || status === 526 || status === 530;
}

/** Null when the text is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(giveUp, BODY_LIMIT_MS);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < BODY_MAX_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status has arrived already.
  } finally {
    clearTimeout(timer);
    giveUp();
  }
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, BODY_MAX_BYTES));
}
