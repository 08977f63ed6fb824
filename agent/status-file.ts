import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "./atomic-file.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";

/** What the running agent says beside its vault once the service has taken it: for `service` and `update`. */
const statusFileSchema = z.object({
  version: z.string(),
  pid: z.int(),
  instanceId: z.string(),
  agentId: z.string(),
  /** ISO 8601, of this machine's clock. */
  registeredAt: z.iso.datetime(),
});
export type RegisteredStatus = z.infer<typeof statusFileSchema>;

/** Writes it at each registration, in turn; a disk that takes nothing is no reason to end. */
export function createStatusNote(path: string, log: Log): (status: RegisteredStatus) => void {
  let busy = Promise.resolve();
  return (status) => {
    busy = busy.then(() =>
      replaceFile(path, (file) => file.writeFile(`${JSON.stringify(status)}\n`)).catch((error: unknown) =>
        log.warning("the registration cannot be noted: bellhop-agent update does not see it", {
          path,
          error: describeError(error),
        }),
      ),
    );
  };
}

/** Null where no agent is registered, or none that this user may look at. An agent that was killed leaves its own. */
export function readStatusFile(path: string): RegisteredStatus | null {
  try {
    const status = statusFileSchema.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return status.success ? status.data : null;
  } catch {
    return null;
  }
}

export function forgetStatus(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A stale one names a process that is gone, or another instance.
  }
}
