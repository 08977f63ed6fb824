import { BODY_ARRIVES_WITHIN_MS, BODY_STALLS_AFTER_MS } from "../../schema/limits.ts";
import { ProblemError } from "../services/problem.ts";

export interface ByteLimits {
  maxBytes: number;
  /** How long the body may take in total, and between two parts. */
  times?: { wholeMs: number; stallMs: number };
}

const TIMES = { wholeMs: BODY_ARRIVES_WITHIN_MS, stallMs: BODY_STALLS_AFTER_MS };
const BUFFER_BYTES = 64 * 1_024;
/**
 * The most bytes beyond the limit that are read and discarded. If the server closed while the client still sends, the
 * client would see a broken connection instead of the answer.
 */
const DISCARDED_MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * A request's body, of at most `maxBytes`. Every body is read here. Throws `payload_too_large`, `request_timeout` when
 * the body stalls, or `invalid_request` when it breaks off. Memory grows with the received bytes, not with the declared
 * ones.
 */
export async function readBytes(request: Request, { maxBytes, times = TIMES }: ByteLimits): Promise<Uint8Array> {
  const { headers, body } = request;
  const length = headers.get("Content-Length");
  if (Number(length ?? "0") > maxBytes + DISCARDED_MAX_BYTES) throw tooLarge(maxBytes);
  if (body === null) return new Uint8Array();
  // The server in front passes on no more than the declared length, so the end needs no further read.
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
    // Not awaited, because the cancel of a stalled body does not end either.
    reader.cancel().catch(() => undefined);
    if (error instanceof ProblemError) throw error;
    throw new ProblemError("invalid_request", "The body was cut off before its end. Send it again.", { cause: error });
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the next bytes into a buffer, which is detached: the returned one replaces it. Null at the end. */
function timed(reader: ReadableStreamBYOBReader, { wholeMs, stallMs }: NonNullable<ByteLimits["times"]>) {
  const endsAt = Date.now() + wholeMs;
  return async (buffer: Bytes): Promise<Bytes | null> => {
    const leftMs = endsAt - Date.now();
    const what =
      stallMs < leftMs
        ? `No part of the body came for ${stallMs / 1_000} s.`
        : `The body was not complete within ${wholeMs / 1_000} s.`;
    // Checked here, because a due timer may never win the race against parts that keep arriving.
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

/** Appends a part to the first `size` bytes, in an array of twice the size when it is full. */
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
