import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { STREAM_MAX_BYTES } from "../../../schema/limits.ts";
import { errorMessage } from "../shared/failures.ts";

export interface ReadBody {
  /** Decompressed, unless `encoding` says how it still is. */
  bytes: Buffer;
  encoding: string | null;
  /** There was more; the rest was not fetched. */
  truncated: boolean;
  /** Why the body ended before its end; null when it is complete, or cut here. */
  brokenOff: string | null;
}

export interface ReadOptions {
  /** How much is kept; 256 KiB unless given. */
  maxBytes?: number | undefined;
  /** Gets every part as it arrives; nothing is kept then. */
  take?: ((part: Uint8Array) => void) | undefined;
}

/**
 * Reads at most `maxBytes` of a body as it is after decompression: a small answer that grows without end stops there, too.
 * One byte more tells whether anything was left out.
 */
export async function readBody(
  response: IncomingMessage,
  { empty, signal, maxBytes = STREAM_MAX_BYTES, take }: ReadOptions & { empty: boolean; signal: AbortSignal },
): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  let brokenOff: string | null = null;
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const decoder = empty ? null : decoderFor(encoding);
  let arrived = false;
  response.once("data", () => (arrived = true));
  try {
    for await (const chunk of decoded(response, decoder)) {
      const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      if (take !== undefined) {
        take(bytes);
        continue;
      }
      chunks.push(bytes);
      size += bytes.length;
      if (size > maxBytes) break;
    }
  } catch (error) {
    // An answer without a body may still say that it is packed, which nothing at all is not.
    if (arrived || !response.complete) brokenOff = signal.aborted ? "the job was ended" : errorMessage(error);
  }
  response.destroy();
  return {
    bytes: Buffer.concat(chunks).subarray(0, maxBytes),
    encoding: decoder === "unknown" ? encoding : null,
    truncated: size > maxBytes,
    brokenOff,
  };
}

type Decoder = NodeJS.ReadWriteStream & Readable;

function decoderFor(encoding: string): Decoder | "unknown" | null {
  switch (encoding) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return "unknown";
  }
}

function decoded(response: IncomingMessage, decoder: Decoder | "unknown" | null): AsyncIterable<unknown> {
  if (decoder === null || decoder === "unknown") return response;
  // pipe() does not pass on that its source failed.
  response.on("error", (error) => decoder.destroy(error));
  response.on("aborted", () => decoder.destroy(new Error("the connection was closed")));
  return response.pipe(decoder);
}
