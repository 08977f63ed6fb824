import { spanBytes } from "./otlp.ts";
import type { Span } from "./span.ts";

/** The spans of one execution that are to be sent; the receiver has the first `sent` of them. */
export interface QueuedTrace {
  readonly id: string;
  readonly spans: readonly Span[];
  readonly sent: number;
}

export interface RequestBounds {
  readonly traces: number;
  readonly spans: number;
  readonly bytes: number;
}

/** The part of a request that belongs to one execution. */
export interface RequestPart {
  readonly id: string;
  readonly spans: readonly Span[];
  /** How many spans the receiver has after this request. */
  readonly sent: number;
  readonly isLast: boolean;
}

/** The next request: as many whole executions as fit, or a part of the first one alone. */
export function nextRequest(traces: readonly QueuedTrace[], bounds: RequestBounds): RequestPart[] {
  const parts: RequestPart[] = [];
  let room = bounds;
  for (const { id, spans, sent } of traces.slice(0, bounds.traces)) {
    const left = spans.slice(sent);
    const fitting = fittingSpans(left, room);
    const isLast = fitting.count === left.length;
    if (!isLast && parts.length > 0) break;
    // A span that is too large is sent alone.
    const count = isLast ? fitting.count : Math.max(1, fitting.count);
    parts.push({ id, spans: left.slice(0, count), sent: sent + count, isLast: count === left.length });
    if (!isLast) break;
    room = { ...room, spans: room.spans - count, bytes: room.bytes - fitting.bytes };
  }
  return parts;
}

function fittingSpans(spans: readonly Span[], room: RequestBounds): { count: number; bytes: number } {
  let bytes = 0;
  for (const [count, span] of spans.entries()) {
    const more = spanBytes(span);
    if (count === room.spans || bytes + more > room.bytes) return { count, bytes };
    bytes += more;
  }
  return { count: spans.length, bytes };
}
