import type { Next } from "hono";
import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-types.ts";
import { readBytes } from "./read-bytes.ts";

/** workerd itself reads and discards the rest of a body up to this size (canceledUploadGraceBytes of KJ). */
const SERVER_DISCARDS_BYTES = 64 * 1_024;
/** Short, because the refusal waits for it. */
const DISCARD_TIMES = { wholeMs: 5_000, stallMs: 2_000 };

/**
 * Discards the body of a request that was refused before the body was read. Otherwise workerd answers and resets the
 * connection while the client still sends, and many clients then lose the answer.
 */
export const discardUnread = createMiddleware<AppEnv>((context, next) => {
  const { raw } = context.req;
  const length = Number(raw.headers.get("Content-Length") ?? Infinity);
  return length <= SERVER_DISCARDS_BYTES || raw.body === null ? next() : afterwardsDiscard(raw, next);
});

async function afterwardsDiscard(raw: Request, next: Next): Promise<void> {
  await next();
  if (!raw.bodyUsed) await readBytes(raw, { maxBytes: 0, times: DISCARD_TIMES }).catch(() => undefined);
}
