import { logWarning } from "./log.ts";

/**
 * How a change reaches libSQL and a Durable Object (docs/design/dispatch.md#two-stores). What revokes is written to the
 * object first, what grants to libSQL first, and the verb answers when both hold.
 *
 * An object ignores settings that are not newer than its own, so one epoch must never carry two settings. Every writer
 * therefore moves the row from the epoch that it saw, by a conditional update, before the object hears of it:
 *
 *     revoking   row e → e+1 (unchanged otherwise)   object e+2   row e+1 → e+2 with the change
 *     granting   row e → e+2 with the change         object e+2   row: pushed e+2
 *
 * Only one writer can move the row away from `e`, so only one can push `e+2`. While a revocation is under way the row
 * stands below the object: what somebody reads there meanwhile and carries to the object is refused. A writer that
 * dies half-way leaves `pushedEpoch` behind `epoch`; then the sweeper tells the object again what libSQL says.
 */
export interface TwoStoreChange {
  seen: { epoch: number; pushedEpoch: number };
  /** Tells the object what it must no longer allow; null when the change takes nothing away. */
  revoke: ((epoch: number) => Promise<void>) | null;
  /** Tells the object what it may allow now; null when there is nothing to tell after the commit. */
  grant: ((epoch: number) => Promise<void>) | null;
  /** Moves the row from the epoch that was seen; false when another was first. */
  reserve(epoch: number): Promise<boolean>;
  /** Writes the change where the row still has `expectedEpoch`; false when it has not. */
  commit(write: { expectedEpoch: number; epoch: number; pushedEpoch: number }): Promise<boolean>;
  markPushed(epoch: number): Promise<void>;
}

/** False when the row has changed since it was read: read it again, and decide anew. */
export async function storeInOrder(change: TwoStoreChange): Promise<boolean> {
  const { seen, revoke, grant } = change;
  if (revoke === null && grant === null) return change.commit({ expectedEpoch: seen.epoch, ...seen });
  const epoch = seen.epoch + 2;
  if (revoke !== null) {
    if (!(await change.reserve(seen.epoch + 1))) return false;
    await revoke(epoch);
  }
  const expectedEpoch = revoke === null ? seen.epoch : seen.epoch + 1;
  const pushedEpoch = grant === null ? epoch : seen.pushedEpoch;
  if (!(await change.commit({ expectedEpoch, epoch, pushedEpoch }))) return false;
  if (grant !== null) {
    await grant(epoch);
    await markQuietly(change, epoch);
  }
  return true;
}

/** Both stores hold; without the mark the sweeper only tells the object once more. */
async function markQuietly(change: TwoStoreChange, epoch: number): Promise<void> {
  try {
    await change.markPushed(epoch);
  } catch (error) {
    logWarning("an object was told, but that could not be noted; it is told again", { error: String(error) });
  }
}
