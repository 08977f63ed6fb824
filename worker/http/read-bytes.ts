import { BODY_ARRIVES_WITHIN_MS, BODY_STALLS_AFTER_MS } from "../../schema/limits.ts";
import { ProblemError } from "../services/problem.ts";

export interface ByteLimits {
  maxBytes: number;
  /** How long the body may take, in all and without one more byte. Tests alone set it. */
  times?: { wholeMs: number; stallMs: number };
}

const TIMES = { wholeMs: BODY_ARRIVES_WITHIN_MS, stallMs: BODY_STALLS_AFTER_MS };
const BUFFER_BYTES = 64 * 1_024;
/**
 * So much of what is too much is read and thrown away: a server that answers and closes while the client still sends
 * makes the client see a broken connection instead of the answer.
 */
const DISCARDED_MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * A request's body, no larger than `maxBytes`. Every body is read here. Throws `payload_too_large`, `request_timeout` when
 * the body stalls, or `invalid_request` when it breaks off. Memory grows with what has arrived, not with what was declared.
 */
export async function readBytes(request: Request, { maxBytes, times = TIMES }: ByteLimits): Promise<Uint8Array> {
  const { headers, body } = request;
  const length = headers.get("Content-Length");
  if (Number(length ?? "0") > maxBytes + DISCARDED_MAX_BYTES) throw tooLarge(maxBytes);
  if (body === null) return new Uint8Array();
  // A declared length is what the server in front of us hands on at most: the end needs no read then.
  const declared = length === null || headers.has("Transfer-Encoding") ? Infinity : Number(length);
  const reader = body.getReader({ mode: "byob" });
  const next = timed(reader, times);
  let buffer = new Uint8Array(Math.max(1, Math.min(declared, BUFFER_BYTES)));
  let bytes = new Uint8Array();
  let size = 0;
  try {
    while (size < declared && size <= maxBytes + DISCARDED_MAX_BYTES) {
      const part = await next(buffer);
      if (part === null) break;
      if (size + part.byteLength <= maxBytes) bytes = withPart(bytes, size, part);
      size += part.byteLength;
      buffer = new Uint8Array(part.buffer);
    }
    if (size > maxBytes) throw tooLarge(maxBytes);
    return bytes.subarray(0, size);
  } catch (error) {
    // Nothing waits for it: a body that stalls does not end by being given up either.
    reader.cancel().catch(() => undefined);
    if (error instanceof ProblemError) throw error;
    throw new ProblemError("invalid_request", "The body broke off before its end. Send it again.", { cause: error });
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the next bytes into a buffer, which is given up for the one that comes back; null at the end. */
function timed(reader: ReadableStreamBYOBReader, { wholeMs, stallMs }: NonNullable<ByteLimits["times"]>) {
  const endsAt = Date.now() + wholeMs;
  return async (buffer: Bytes): Promise<Bytes | null> => {
    const leftMs = endsAt - Date.now();
    const what =
      stallMs < leftMs
        ? `No part of the body came for ${stallMs / 1_000} s.`
        : `The body was not complete within ${wholeMs / 1_000} s.`;
    // A timer that is due may never win against parts that go on coming.
    if (leftMs <= 0) throw tooSlow(what);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(tooSlow(what)), Math.min(stallMs, leftMs));
    try {
      const { done, value } = await Promise.race([reader.read(buffer), late.promise]);
      return done ? null : value;
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Puts a part behind the first `size` bytes, into an array twice as large where it is full. */
function withPart(bytes: Bytes, size: number, part: Bytes): Bytes {
  const end = size + part.byteLength;
  let into = bytes;
  if (end > bytes.byteLength) {
    into = new Uint8Array(Math.max(end, 2 * size));
    into.set(bytes.subarray(0, size));
  }
  into.set(part, size);
  return into;
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    "payload_too_large",
    `The body is larger than ${maxBytes} bytes. Send less, or send a reference.`,
  );
}

function tooSlow(what: string): ProblemError {
  return new ProblemError("request_timeout", `${what} Check the connection, and send the request again.`);
}
