import { ProblemError } from "../services/problem.ts";

export interface ByteLimits {
  maxBytes: number;
  /** How long the body may take to arrive; 30 s when not said. */
  withinMs?: number;
}

const WITHIN_MS = 30_000;
/**
 * So much of what is too much is read and thrown away: a server that answers and closes while the client still sends
 * makes the client see a broken connection instead of the answer.
 */
const DISCARDED_MAX_BYTES = 8 * 1_024 * 1_024;

/**
 * A request's body, no larger than `maxBytes`. Throws `payload_too_large`, or `invalid_request` when the body stalls
 * or breaks off. Never holds more than that in memory.
 */
export async function readBytes(request: Request, limits: ByteLimits): Promise<Uint8Array> {
  const declared = request.headers.get("Content-Length");
  if (Number(declared ?? "0") > limits.maxBytes + DISCARDED_MAX_BYTES) throw tooLarge(limits.maxBytes);
  if (request.body === null) return new Uint8Array();
  const withinMs = limits.withinMs ?? WITHIN_MS;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(broken(`The body did not arrive within ${withinMs / 1_000} s. Send it again.`)),
    withinMs,
  );
  try {
    // A declared length is what the server in front of us hands on at most: one call instead of a loop.
    const whole = declared !== null && Number(declared) <= limits.maxBytes && !request.headers.has("Transfer-Encoding");
    const reading = whole ? request.arrayBuffer() : readChunks(request.body, limits.maxBytes);
    return new Uint8Array(await Promise.race([reading, late.promise]));
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw broken("The body broke off before its end. Send it again.", error);
  } finally {
    clearTimeout(timer);
  }
}

async function readChunks(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size <= maxBytes) chunks.push(value);
    else if (size > maxBytes + DISCARDED_MAX_BYTES) {
      await reader.cancel();
      break;
    }
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    "payload_too_large",
    `The body is larger than ${maxBytes} bytes. Send less, or send a reference.`,
  );
}

function broken(detail: string, cause?: unknown): ProblemError {
  return new ProblemError("invalid_request", detail, { cause });
}
