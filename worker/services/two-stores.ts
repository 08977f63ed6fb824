import { logWarning } from "./log.ts";

/**
 * How a change reaches libSQL and a Durable Object (docs/design/dispatch.md#two-stores). A revocation is written to the
 * object first, a grant to libSQL first; the verb answers when both hold.
 *
 * An object ignores settings that are not newer than its own, so one epoch must never carry two settings. Every writer
 * therefore moves the row from the epoch that it saw, by a conditional update, before it calls the object:
 *
 *     revoking   row e → e+1 (unchanged otherwise)   object e+2   row e+1 → e+2 with the change
 *     granting   row e → e+2 with the change         object e+2   row: pushed e+2
 *
 * Only one writer can move the row away from `e`, so only one can push `e+2`. During a revocation the row's epoch is
 * below the object's, so the object refuses settings that were read from the row meanwhile. A writer that dies half-way
 * leaves `pushedEpoch` behind `epoch`; the sweeper then sends libSQL's settings to the object again.
 */
export interface TwoStoreChange {
  seen: { epoch: number; pushedEpoch: number };
  /** Sends the object what it must no longer allow; null when the change revokes nothing. */
  revoke: ((epoch: number) => Promise<void>) | null;
  /** Sends the object what it may allow now; null when nothing is sent after the commit. */
  grant: ((epoch: number) => Promise<void>) | null;
  /** Moves the row from the epoch that was seen; false when another writer was first. */
  reserve(epoch: number): Promise<boolean>;
  /** Writes the change if the row still has `expectedEpoch`; false otherwise. */
  commit(write: { expectedEpoch: number; epoch: number; pushedEpoch: number }): Promise<boolean>;
  markPushed(epoch: number): Promise<void>;
}

/** False when the row has changed since it was read: read the row and decide again. */
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

/** Both stores hold the change. Without the mark, the sweeper only sends it to the object again. */
async function markQuietly(change: TwoStoreChange, epoch: number): Promise<void> {
  try {
    await change.markPushed(epoch);
  } catch (error) {
    logWarning("an object was notified, but this could not be recorded; it is notified again", {
      error: String(error),
    });
  }
}
