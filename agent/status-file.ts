import { readFileSync, rmSync } from "node:fs";
import { z } from "zod";
import { replaceFile } from "./atomic-file.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";

/** What the running agent records next to its vault after registering, for `service` and `update`. */
const statusFileSchema = z.object({
  version: z.string(),
  pid: z.int(),
  instanceId: z.string(),
  agentId: z.string(),
  /** ISO 8601, by this machine's clock. */
  registeredAt: z.iso.datetime(),
});
export type RegisteredStatus = z.infer<typeof statusFileSchema>;

/** Writes the file at each registration, one write after another. A full disk is no reason to end. */
export function createStatusNote(path: string, log: Log): (status: RegisteredStatus) => void {
  let busy = Promise.resolve();
  return (status) => {
    busy = busy.then(() =>
      replaceFile(path, (file) => file.writeFile(`${JSON.stringify(status)}\n`)).catch((error: unknown) =>
        log.warning("the registration cannot be written to a file: bellhop-agent update does not see it", {
          path,
          error: describeError(error),
        }),
      ),
    );
  };
}

/** Null when no agent is registered, or when this user may not read the file. A killed agent leaves its file behind. */
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
    // A stale file does no harm: it names a process that is gone, or another instance.
  }
}
