import { logWarning } from "./log.ts";
import { failureMessage } from "../store/errors.ts";

/**
 * A change that concerns libSQL and a Durable Object. docs/design/dispatch.md#two-stores has the order of its writes
 * and the epochs of both.
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
      error: failureMessage(error),
    });
  }
}
