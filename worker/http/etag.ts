import type { Context, MiddlewareHandler } from "hono";
import type { Operation } from "../../schema/contract/operation.ts";
import type { ExpectedRevisions } from "../services/precondition.ts";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";
import { answer } from "./respond.ts";

/**
 * Entity tags (RFC 9110, 8.8.3 and 13.1): `"<revision>.<digest>"`. `If-Match` compares the revision, which rises with
 * every edit. `If-None-Match` compares the digest of the whole answer, which also shows changes without an edit, such
 * as an agent's status. `"<revision>"` alone is valid for `If-Match`, too. `warnings` belong to the request, not to the
 * state, so the digest leaves them out.
 */
const TAG = /(W\/)?"([\u0021\u0023-\u007e\u0080-\u00ff]*)"/gu;
const DIGEST_CHARS = 16;

interface Tagged {
  readonly revision: number;
  readonly warnings?: unknown;
}

/** `{success: true, data}` with its tag; 304 to a GET when the caller already has it. */
export async function answerTagged(context: Context<AppEnv>, data: Tagged): Promise<Response> {
  const etag = `"${data.revision}.${await digestOf(JSON.stringify({ ...data, warnings: undefined }))}"`;
  if (context.req.method === "GET" && matchesEtag(context.req.header("If-None-Match"), etag)) {
    return context.body(null, 304, { ETag: etag });
  }
  context.header("ETag", etag);
  return answer(context, data);
}

/**
 * The revisions that `If-Match` names; null without the header, and for `*`, which only requires existence. Weak tags
 * name none (RFC 9110, 13.1.1), and neither do tags that this service never gave.
 */
export function expectedRevisions(context: Context<AppEnv>): ExpectedRevisions {
  const header = context.req.header("If-Match")?.trim();
  if (header === undefined || header === "*") return null;
  const tags = [...header.matchAll(TAG)];
  if (tags.length === 0 || header.replaceAll(TAG, "").replaceAll(/[,\s]/gu, "") !== "") {
    throw new ProblemError("invalid_request", 'If-Match must be * or a list of tags in quotes, such as "3".', {
      errors: [{ path: "If-Match", message: "must be * or a list of tags in quotes" }],
    });
  }
  return new Set(
    tags.flatMap(([, weak, tag = ""]) => {
      const revision = /^(\d{1,15})(?:\.|$)/u.exec(tag)?.[1];
      return weak === undefined && revision !== undefined ? [Number(revision)] : [];
    }),
  );
}

/** Answers 400 to `If-Match` on operations without tags: the sender relies on it, and would overwrite other edits. */
export function refuseUnheededIfMatch({ etag, headers = [] }: Operation): MiddlewareHandler<AppEnv> {
  const heeds = etag === true || headers.some(({ name }) => name === "If-Match");
  return async (context, next) => {
    if (!heeds && context.req.header("If-Match") !== undefined) {
      throw new ProblemError(
        "invalid_request",
        "This address has no ETag, so If-Match cannot be checked. Send the request without it.",
        {
          errors: [{ path: "If-Match", message: "is not accepted here: leave it out" }],
        },
      );
    }
    await next();
  };
}

/** Whether `If-None-Match` names this tag. Weak and strong tags are equal here (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return [...ifNoneMatch.matchAll(TAG)].some(([, , tag]) => `"${tag}"` === etag);
}

async function digestOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Buffer.from(digest).toString("base64url").slice(0, DIGEST_CHARS);
}
