import { findExecution } from "../../store/execution-reads.ts";
import type { Deps } from "../../services/deps.ts";
import type { RunSlot } from "./slot.ts";

/** An execution's revision as it was last committed; null when there is no such execution. */
export async function revisionOf(deps: Deps, slot: RunSlot | undefined, executionId: string): Promise<number | null> {
  const known = slot?.current;
  if (known !== null && known !== undefined) return known.state.revision;
  return (await findExecution(deps.db, executionId))?.revision ?? null;
}
