import { CommandRefused } from "../credentials/refused.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { acquireLock } from "../journal/process-lock.ts";
import type { ProcessLock } from "../journal/process-lock.ts";
import type { ExecutablePaths } from "./swap.ts";

/** Allows one update of an executable at a time. The lock ends with the process. Throws CommandRefused. */
export function lockUpdates({ lock, current }: ExecutablePaths): ProcessLock {
  try {
    return acquireLock(lock, lock);
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    throw error.exitCode === EXIT.inUse
      ? new CommandRefused(EXIT.inUse, `another update of ${current} runs: wait for its end`)
      : new CommandRefused(EXIT.notAllowed, `this user may not write next to ${current}: run the update with sudo`, {
          cause: error,
        });
  }
}
