import { z } from "zod";
import type { IdKind } from "../../../schema/contract/ids.ts";
import { jsonValueSchema } from "../../../schema/contract/json.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { PROBLEM_STATUS } from "../../../schema/contract/problem.ts";
import { failureMessage, isConflict } from "../../store/errors.ts";
import { freeIdempotencyKey, keepIdempotentAnswer, markIdempotencyFailure } from "../../store/idempotency.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { ProblemError } from "../problem.ts";
import type { KeyClaim } from "./claim-key.ts";
import { sameIds } from "./same-ids.ts";

/** Keeps the answer for a repeat; null where it holds a secret. Never throws: the request has been carried out. */
export async function keepAnswer(deps: Deps, claim: KeyClaim, status: number, answer: unknown): Promise<void> {
  await quietly(claim, () => keepIdempotentAnswer(deps.db, claim, status, toJson(answer)));
}

/**
 * Releases the key after a failure. A refusal changed nothing, so the key is new again. After a failure of the service
 * the effect is unknown, and a repeat creates with the same id. Returns the error for the caller, which says that the
 * request was carried out if that id existed already.
 */
export async function releaseKey(
  deps: Deps,
  claim: KeyClaim,
  creates: IdKind | undefined,
  error: unknown,
): Promise<unknown> {
  const again = claim.firstAt !== claim.claimedAt;
  const status = error instanceof ProblemError ? PROBLEM_STATUS[error.code] : 500;
  await quietly(claim, () =>
    status < 500 && !again ? freeIdempotencyKey(deps.db, claim) : markIdempotencyFailure(deps.db, claim, 500),
  );
  if (!again || creates === undefined || !isConflict(error)) return error;
  const id = sameIds(deps, claim, creates).newId(creates);
  return new ProblemError(
    "conflict",
    `This was done before with the same Idempotency-Key, though its answer was lost: see ${id}.`,
    { cause: error },
  );
}

/** A key that is neither kept nor released counts as aborted after a minute. */
async function quietly({ actor }: KeyClaim, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    logWarning("the outcome of a request with an Idempotency-Key could not be recorded", {
      actor,
      error: failureMessage(error),
    });
  }
}

function toJson(answer: unknown): JsonValue {
  return z.nullable(jsonValueSchema).parse(answer);
}
