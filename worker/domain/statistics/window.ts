import type { FieldError } from "../../../schema/contract/problem.ts";
import { STATISTICS_SPAN_DEFAULT_MS, STATISTICS_SPAN_MAX_MS } from "../../../schema/limits.ts";

/** A bucket's span (epoch ms): `from` is in it, `to` in the next one. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const HOUR_MS = 60 * 60_000;
const BUCKET_MIN_MS = 1_000;
const DAYS_MAX = STATISTICS_SPAN_MAX_MS / (24 * HOUR_MS);

/** The requested span in buckets, or its errors. Whole hours by default. */
export function statisticsWindow(
  asked: { from: number | undefined; to: number | undefined; buckets: number },
  now: number,
): { ok: true; buckets: Span[] } | { ok: false; errors: FieldError[] } {
  const to = asked.to ?? (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
  const from = asked.from ?? to - STATISTICS_SPAN_DEFAULT_MS;
  const span = to - from;
  const wrong = (path: string, message: string) => ({ ok: false as const, errors: [{ path, message }] });
  if (from > now) return wrong("from", "must not be in the future");
  if (span <= 0) return wrong("to", "must be after from");
  if (span > STATISTICS_SPAN_MAX_MS) return wrong("from", `must be at most ${DAYS_MAX} days before to`);
  if (span < asked.buckets * BUCKET_MIN_MS) return wrong("buckets", "must leave at least a second for each bucket");
  const border = (index: number) => from + Math.round((index * span) / asked.buckets);
  const buckets = Array.from({ length: asked.buckets }, (_, index) => ({ from: border(index), to: border(index + 1) }));
  return { ok: true, buckets };
}
