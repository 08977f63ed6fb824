import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { STREAM_MAX_BYTES } from "../../../schema/limits.ts";
import { errorMessage } from "../shared/failures.ts";

export interface ReadBody {
  /** Decompressed, unless `encoding` names an encoding that is left. */
  bytes: Buffer;
  encoding: string | null;
  /** There was more, which was not fetched. */
  truncated: boolean;
  /** Why the body ended early; null when it is complete, or was cut at the limit. */
  brokenOff: string | null;
}

export interface ReadOptions {
  /** The limit of the kept bytes; 256 KiB by default. */
  maxBytes?: number | undefined;
  /** Gets every part as it arrives; then nothing is kept. */
  take?: ((part: Uint8Array) => void) | undefined;
}

/**
 * Reads at most `maxBytes` of the decompressed body, so that a small answer cannot grow without end. One extra byte
 * shows whether anything was left out.
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
    // An answer without a body may declare a compression, which an empty body does not have.
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
  // pipe() does not forward an error of its source.
  response.on("error", (error) => decoder.destroy(error));
  response.on("aborted", () => decoder.destroy(new Error("the connection was closed")));
  return response.pipe(decoder);
}
