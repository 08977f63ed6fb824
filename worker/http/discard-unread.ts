import type { Next } from "hono";
import { readBytes } from "./read-bytes.ts";

/** workerd itself reads and discards the rest of a body up to this size (canceledUploadGraceBytes of KJ). */
const SERVER_DISCARDS_BYTES = 64 * 1_024;
/** Short, because the refusal waits for it. */
const DISCARD_TIMES = { wholeMs: 5_000, stallMs: 2_000 };

/**
 * Discards the body of a request that was refused before the body was read. Otherwise workerd answers and resets the
 * connection while the client still sends, and many clients then lose the answer.
 */
export function discardUnread(request: Request, next: Next): Promise<void> {
  const length = Number(request.headers.get("Content-Length") ?? Infinity);
  return length <= SERVER_DISCARDS_BYTES || request.body === null ? next() : afterwardsDiscard(request, next);
}

async function afterwardsDiscard(request: Request, next: Next): Promise<void> {
  await next();
  if (!request.bodyUsed) await readBytes(request, { maxBytes: 0, times: DISCARD_TIMES }).catch(() => undefined);
}
