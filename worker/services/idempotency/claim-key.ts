import { z } from "zod";
import type { Operation } from "../../../schema/contract/operation.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { IDEMPOTENCY_KEY_KEEP_MS, IDEMPOTENCY_UNDER_WAY_MS } from "../../../schema/limits.ts";
import {
  deleteIdempotencyKey,
  findIdempotencyKey,
  insertIdempotencyKey,
  reclaimIdempotencyKey,
} from "../../store/idempotency.ts";
import type { IdempotencyRow } from "../../store/idempotency.ts";
import type { Deps } from "../deps.ts";
import { ProblemError } from "../problem.ts";

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  /** The owner of the key (`keyOwner`). */
  actor: string;
  key: string;
  operation: Operation;
  /** Of the path and the body. */
  requestDigest: string;
}

/** The exclusive right to carry out the request. */
export interface KeyClaim {
  actor: string;
  key: string;
  claimedAt: number;
  /** First use of the key (epoch ms), before `claimedAt` when an earlier attempt ended with an unknown result. */
  firstAt: number;
}

export type Claimed = { kind: "do"; claim: KeyClaim } | { kind: "done"; status: number; answer: JsonValue };

const RETRY_AFTER_SECONDS = 1;

/**
 * Claims the key for this request, or returns the answer that was kept under it. Throws `conflict` while another
 * request with the key is under way, when the key was used for another request, and when the answer held a secret.
 */
export async function claimKey(deps: Deps, request: KeyedRequest): Promise<Claimed> {
  const { actor, key, operation, requestDigest } = request;
  const now = deps.now();
  const row = { actor, key, operation: operation.id, requestDigest, claimedAt: now };
  const taken = { kind: "do", claim: { actor, key, claimedAt: now, firstAt: now } } as const;
  if (await insertIdempotencyKey(deps.db, row)) return taken;
  const before = await findIdempotencyKey(deps.db, actor, key);
  // The key was released a moment ago.
  if (before === null) throw underWay();
  if (before.createdAt < now - IDEMPOTENCY_KEY_KEEP_MS) {
    await deleteIdempotencyKey(deps.db, before);
    if (await insertIdempotencyKey(deps.db, row)) return taken;
    throw underWay();
  }
  if (before.operation !== operation.id || before.requestDigest !== requestDigest) {
    throw new ProblemError(
      "conflict",
      "This Idempotency-Key was used for another request, with another path or body. Use a new key for each request.",
    );
  }
  if (before.status !== null && before.status < 500) return kept(before, before.status, operation);
  return takeOver(deps, before, operation, now);
}

function kept({ answer }: IdempotencyRow, status: number, operation: Operation): Claimed {
  if (operation.idempotent === true) return { kind: "done", status, answer };
  const what = operation.lostSecret ?? "If it was lost, create a new one.";
  throw new ProblemError(
    "conflict",
    `This was done before with the same Idempotency-Key. The answer held a secret, which is not kept. ${what}`,
  );
}

/** Takes over from an attempt that failed or never ended. Its effect is unknown: repeat it only if that is safe. */
async function takeOver(deps: Deps, before: IdempotencyRow, operation: Operation, now: number): Promise<Claimed> {
  const { actor, key, createdAt: firstAt } = before;
  const { claimedAt } = attemptSchema.parse(before.answer);
  if (before.status === null) {
    if (now - claimedAt < IDEMPOTENCY_UNDER_WAY_MS) throw underWay();
    if (operation.creates === undefined || operation.idempotent !== true) throw unknownEnd();
  }
  if (!(await reclaimIdempotencyKey(deps.db, { actor, key, claimedAt }, now))) throw underWay();
  return { kind: "do", claim: { actor, key, claimedAt: now, firstAt } };
}

function underWay(): ProblemError {
  return new ProblemError("conflict", "A request with this Idempotency-Key is under way. Try again in a moment.", {
    headers: { "Retry-After": String(RETRY_AFTER_SECONDS) },
  });
}

function unknownEnd(): ProblemError {
  return new ProblemError(
    "conflict",
    "A request with this Idempotency-Key was interrupted, and its outcome is unknown. Check whether it took effect. If it did not, send it again with a new key.",
  );
}

const attemptSchema = z.object({ claimedAt: z.number() });
