import type { Context } from "hono";
import type { ReleaseCoding } from "../../../schema/contract/release.ts";
import { contentRange, parseRange, rangeStillFits } from "../../domain/download/byte-range.ts";
import { chooseCoding } from "../../domain/download/content-coding.ts";
import type { Download, Representation } from "../../services/downloads/find-download.ts";
import { ProblemError } from "../../services/problem.ts";
import type { AppEnv } from "../app-types.ts";
import { matchesEtag } from "../etag.ts";

/** A version's files never change. `no-transform`: no proxy may compress them again. */
const CACHE_CONTROL = "public, max-age=31536000, immutable, no-transform";

/** A download with content coding, conditional requests and one range (RFC 9110, 13 and 14). */
export async function respondWithDownload(context: Context<AppEnv>, download: Download): Promise<Response> {
  const coding = chooseCoding(acceptedCodings(context.req.raw), download.codings);
  const representation = await download.representation(coding);
  if (representation === null) throw vanished();
  const { etag, size } = representation;
  const headers = headersOf(download, coding, etag);
  if (matchesEtag(context.req.header("If-None-Match"), etag)) {
    const { "Content-Type": _type, "Content-Disposition": _disposition, ...kept } = headers;
    return new Response(null, { status: 304, headers: kept });
  }
  // HEAD has no ranges (RFC 9110, 14.2).
  const isHead = context.req.method === "HEAD";
  const asked = rangeStillFits(context.req.header("If-Range"), etag) ? context.req.header("Range") : undefined;
  const range = isHead ? null : parseRange(asked, size);
  if (range === "unsatisfiable") {
    throw new ProblemError(
      "range_not_satisfiable",
      `The file has ${size} bytes, and Range asks for none of them. Send another Range.`,
      {
        headers: { "Content-Range": contentRange(size), "Accept-Ranges": "bytes" },
      },
    );
  }
  const whole = { ...headers, "Content-Length": String(size) };
  if (isHead) return answer(null, 200, whole);
  if (range === null) return answer(await bodyOf(representation), 200, whole);
  return answer(await bodyOf(representation, range), 206, {
    ...headers,
    "Content-Length": String(range.length),
    "Content-Range": contentRange(size, range),
  });
}

/** `manual`: the bytes are already encoded, and the runtime must not compress them again. */
function answer(body: BodyInit | null, status: 200 | 206, headers: Record<string, string>): Response {
  return new Response(body, { status, headers, encodeBody: "manual" });
}

async function bodyOf(representation: Representation, part?: { offset: number; length: number }): Promise<BodyInit> {
  const body = await representation.read(part);
  if (body === null) throw vanished();
  return body;
}

function headersOf({ file, contentType, codings }: Download, coding: ReleaseCoding | null, etag: string) {
  return {
    "Content-Type": contentType,
    "Content-Disposition": `attachment; filename="${file}"`,
    "Accept-Ranges": "bytes",
    "Cache-Control": CACHE_CONTROL,
    ETag: etag,
    ...(codings.length === 0 ? {} : { Vary: "Accept-Encoding" }),
    ...(coding === null ? {} : { "Content-Encoding": coding }),
  };
}

/**
 * Cloudflare replaces `Accept-Encoding` and passes on the client's own in `clientAcceptEncoding`. Only a coding that
 * both accept is sent: otherwise the edge would decompress it, and sizes and tags would belong to another
 * representation.
 */
function acceptedCodings(request: Request): string | undefined {
  const edge = request.headers.get("Accept-Encoding") ?? undefined;
  const client = request.cf?.["clientAcceptEncoding"];
  if (typeof client !== "string") return edge;
  return chooseCoding(edge, ["zstd"]) === null ? `${client}, zstd;q=0` : client;
}

function vanished(): ProblemError {
  return new ProblemError("unavailable", "This file was removed just now. Try again in a moment.", {
    headers: { "Retry-After": "5" },
  });
}
