import { appendFileSync, renameSync, statSync } from "node:fs";
import type { WriteLog } from "../run.ts";

const MIB = 1_024 * 1_024;
const LOG_MAX_BYTES = 10 * MIB;

/**
 * A log file, for service managers that do not keep a program's output (Task Scheduler). At 10 MiB the file is renamed
 * to `<path>.1`, replacing the previous one. A full disk is no reason to stop working.
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
      // The status and metrics of the admin API still work.
    }
  };
}
