import { z } from "zod";
import { CREDENTIAL_VERSION_MAX } from "../../../schema/limits.ts";
import type { JobReport } from "../job-order.ts";

/** An agent answers with what it holds after the job; the state may be masked, the version is a number. */
const heldSchema = z.object({ state: z.string().catch(""), version: z.int().min(0).max(CREDENTIAL_VERSION_MAX) });

/** What the end of a credentialSync job means for the record of its credential. */
export type SyncEnd =
  /** The agent has taken the state over. */
  | { readonly type: "delivered" }
  /** It never will in this form: the ciphertext goes, and somebody must deliver again. */
  | { readonly type: "failed"; readonly error: string }
  /** It keeps what it has, which is newer than what the service knows of: say, the service came back from a backup. */
  | { readonly type: "outrun"; readonly version: number; readonly holds: boolean }
  /** It was not the credential's fault: it is tried again. `error` is null when nothing went wrong. */
  | { readonly type: "again"; readonly error: string | null };

/** Failures of the moment: the agent ended, or could not write. */
const PASSING = new Set(["agent_shutdown", "agent_superseded", "vault_unwritable", "internal_error"]);
/** The dispatcher's own ends that say nothing about the agent. */
const NOT_TRIED = new Set(["cancelled", "credential_superseded", "agent_moved", "queue_timeout"]);

export function judgeSyncEnd(wanted: { state: "present" | "absent"; version: number }, report: JobReport): SyncEnd {
  const { state } = wanted;
  if (report.status === "succeeded") {
    const held = heldSchema.safeParse(report.output).data ?? { state: "", version: 0 };
    const { version } = held;
    // It remembers that this version was taken from it, and did not take it again.
    const wasWithdrawn = state === "present" && held.state === "absent" && version >= wanted.version;
    if (wasWithdrawn) return { type: "outrun", version, holds: false };
    return version > wanted.version ? { type: "outrun", version, holds: true } : { type: "delivered" };
  }
  const { code = report.status, message = "The agent gave no reason." } = report.error ?? {};
  if (NOT_TRIED.has(code)) return { type: "again", error: null };
  const passing = report.lost || report.status === "timed_out" || PASSING.has(code);
  // What is to be taken away stays to be taken away.
  if (passing || state === "absent") return { type: "again", error: message };
  return { type: "failed", error: message };
}
