import { LIMIT_PERIOD_MAX_SECONDS } from "../../../schema/limits.ts";
import { deleteUsesBefore } from "../../store/limit-uses.ts";
import type { Deps } from "../deps.ts";

const USES_AT_ONCE = 1_000;
const BATCHES = 10;

/** Deletes uses that are older than the longest possible period: a group's period may become longer later. */
export async function pruneLimitUses(deps: Deps, now: number): Promise<void> {
  for (let batch = 1; batch <= BATCHES; batch += 1) {
    const removed = await deleteUsesBefore(deps.db, now - LIMIT_PERIOD_MAX_SECONDS * 1_000, USES_AT_ONCE);
    if (removed < USES_AT_ONCE) return;
  }
}
