import { z } from "zod";
import { TRACE_REQUEST_MAX_MS } from "../../../schema/limits.ts";
import { toOtlp } from "../../domain/trace/otlp.ts";
import type { Span } from "../../domain/trace/span.ts";
import { VERSION } from "../../version.ts";
import { exchange, jsonOf, neverArrived, reasonOf } from "../notifications/index.ts";
import type { TraceSettings } from "../trace-settings.ts";

export type PostOutcome =
  /** `rejected`: how many of the spans the receiver did not keep. */
  | { readonly type: "accepted"; readonly rejected: number }
  /** Worth another attempt, not before `retryAfterMs` if it is given. */
  | { readonly type: "failed"; readonly reason: string; readonly retryAfterMs: number | null }
  /** The receiver will not take these spans. */
  | { readonly type: "refused"; readonly reason: string };

/** The only statuses after which OTLP allows another attempt. */
const RETRYABLE = new Set([429, 502, 503, 504]);

const partialSuccessSchema = z.object({
  partialSuccess: z.object({ rejectedSpans: z.coerce.number().int().min(0) }),
});

/** Sends spans once. Redirects are not followed: the headers are for the receiver alone. */
export async function postSpans(spans: readonly Span[], tracing: TraceSettings): Promise<PostOutcome> {
  const { url, headers, serviceName } = tracing;
  let answer;
  try {
    answer = await exchange(
      {
        url,
        method: "POST",
        headers: { "user-agent": `Bellhop/${VERSION}`, ...headers, "content-type": "application/json" },
        body: JSON.stringify(toOtlp(spans, { serviceName, version: VERSION })),
      },
      AbortSignal.timeout(TRACE_REQUEST_MAX_MS),
    );
  } catch (error) {
    return { type: "failed", reason: reasonOf(error), retryAfterMs: null };
  }
  const { status, text, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return { type: "accepted", rejected: Math.min(rejectedOf(text), spans.length) };
  const reason = `The receiver answered ${status}.`;
  if (RETRYABLE.has(status) || neverArrived(status)) return { type: "failed", reason, retryAfterMs };
  return { type: "refused", reason };
}

/** An answer without the message's form means that the receiver kept everything. */
function rejectedOf(text: string): number {
  return partialSuccessSchema.safeParse(jsonOf(text)).data?.partialSuccess.rejectedSpans ?? 0;
}
