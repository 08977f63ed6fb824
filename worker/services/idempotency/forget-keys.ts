import { IDEMPOTENCY_KEY_KEEP_MS } from "../../../schema/limits.ts";
import { deleteIdempotencyKeysBefore } from "../../store/idempotency.ts";
import type { Deps } from "../deps.ts";

const KEYS_AT_ONCE = 1_000;
const BATCHES = 10;

/** The sweeper's part: a key can be used again a day after its use. */
export async function forgetIdempotencyKeys(deps: Deps, now: number): Promise<void> {
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const removed = await deleteIdempotencyKeysBefore(deps.db, now - IDEMPOTENCY_KEY_KEEP_MS, KEYS_AT_ONCE);
    if (removed < KEYS_AT_ONCE) return;
  }
}
