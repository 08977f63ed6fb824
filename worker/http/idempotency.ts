import { createHmac } from "node:crypto";
import type { Context } from "hono";
import type { Operation } from "../../schema/contract/operation.ts";
import { IDEMPOTENCY_KEY_MAX_CHARS, MANAGEMENT_BODY_MAX_BYTES } from "../../schema/limits.ts";
import { claimKey } from "../services/idempotency/claim-key.ts";
import { sameIds } from "../services/idempotency/same-ids.ts";
import { keepAnswer, releaseKey } from "../services/idempotency/end-claim.ts";
import { keyOwner } from "../services/principal.ts";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";
import { readBytes } from "./read-bytes.ts";

type Handle = (context: Context<AppEnv>) => Response | Promise<Response>;

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX_CHARS}}$`, "u");

/**
 * Makes an operation safe to repeat under an `Idempotency-Key` (docs/design/http-api.md#idempotency-keys). The key
 * belongs to the caller, and successes are kept for a day. A refusal or a service failure leaves the key free.
 */
export function idempotently(operation: Operation, handle: Handle): Handle {
  return async (context) => {
    // The second name is that of webhooks, so that a client can use one name for every call.
    const key = context.req.header("Idempotency-Key") ?? context.req.header("X-Idempotency-Key");
    if (key === undefined) return handle(context);
    if (!KEY.test(key)) throw badKey();
    const deps = context.get("deps");
    const owner = keyOwner(context.get("principal"));
    const requestDigest = await digestOf(context);
    const claimed = await claimKey(deps, { actor: owner, key, operation, requestDigest });
    if (claimed.kind === "done") {
      return Response.json(claimed.answer, { status: claimed.status, headers: { "Idempotent-Replayed": "true" } });
    }
    const { claim } = claimed;
    if (operation.creates !== undefined) context.set("deps", sameIds(deps, claim, operation.creates));
    try {
      const response = await handle(context);
      const answer: unknown = operation.idempotent === "showsSecret" ? null : await response.clone().json();
      await keepAnswer(deps, claim, response.status, answer);
      return response;
    } catch (error) {
      throw await releaseKey(deps, claim, operation.creates, error);
    }
  };
}

/** The body that operations assume when it is missing. */
const NO_BODY = "{}";

/** Reads the body, and puts it back for the handler. Keyed: a plain digest would allow guessing a password in it. */
async function digestOf(context: Context<AppEnv>): Promise<string> {
  const { raw } = context.req;
  const bytes = await readBytes(raw, { maxBytes: MANAGEMENT_BODY_MAX_BYTES });
  const body = bytes.byteLength === 0 ? null : bytes;
  context.req.raw = new Request(raw.url, { method: raw.method, headers: raw.headers, body });
  const { pathname, search } = new URL(raw.url);
  const digest = createHmac("sha256", `idempotency\n${context.get("deps").settings.secret}`);
  return digest
    .update(`${raw.method} ${pathname}${search}\n`)
    .update(body ?? NO_BODY)
    .digest("base64");
}

function badKey(): ProblemError {
  const wanted = `must be 1 to ${IDEMPOTENCY_KEY_MAX_CHARS} visible ASCII characters`;
  return new ProblemError("invalid_request", `The header Idempotency-Key ${wanted}, such as a UUID.`, {
    errors: [{ path: "Idempotency-Key", message: wanted }],
  });
}
