import { appendFileSync, renameSync, statSync } from "node:fs";
import type { WriteLog } from "../run.ts";

const MIB = 1_024 * 1_024;
const LOG_MAX_BYTES = 10 * MIB;

/**
 * A log in a file, for where nobody keeps what a program writes (Task Scheduler). At 10 MiB it becomes `<path>.1`, and
 * the one before goes. A disk that takes nothing is no reason to stop working.
 */
export function logToFile(path: string): WriteLog {
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return (line) => {
    try {
      if (bytes + line.length > LOG_MAX_BYTES) {
        renameSync(path, `${path}.1`);
        bytes = 0;
      }
      appendFileSync(path, line, { mode: 0o600 });
      bytes += Buffer.byteLength(line);
    } catch {
      // The admin API's status and metrics still tell how the agent is.
    }
  };
}
