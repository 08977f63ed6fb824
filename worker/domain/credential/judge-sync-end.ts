import { z } from "zod";
import { CREDENTIAL_VERSION_MAX } from "../../../schema/limits.ts";
import type { JobReport } from "../job-order.ts";

/** An agent answers with its state after the job; the state may be masked, the version is a number. */
const heldSchema = z.object({ state: z.string().catch(""), version: z.int().min(0).max(CREDENTIAL_VERSION_MAX) });

/** The consequence of a credentialSync job's end for the record of its credential. */
export type SyncEnd =
  /** The agent has applied the state. */
  | { readonly type: "delivered" }
  /** The agent never will in this form: the ciphertext is deleted, and a person must deliver again. */
  | { readonly type: "failed"; readonly error: string }
  /** The agent keeps a newer state than the service knows of, for example after a restore of the service. */
  | { readonly type: "outrun"; readonly version: number; readonly holds: boolean }
  /** The credential was not the cause: the job is tried again. `error` is null when nothing failed. */
  | { readonly type: "again"; readonly error: string | null };

/** Temporary failures: the agent ended, or could not write. */
const PASSING = new Set(["agent_shutdown", "agent_superseded", "vault_unwritable", "internal_error"]);
/** The dispatcher's own outcomes, which say nothing about the agent. */
const NOT_TRIED = new Set(["cancelled", "credential_superseded", "agent_moved", "queue_timeout"]);

export function judgeSyncEnd(wanted: { state: "present" | "absent"; version: number }, report: JobReport): SyncEnd {
  const { state } = wanted;
  if (report.status === "succeeded") {
    const held = heldSchema.safeParse(report.output).data ?? { state: "", version: 0 };
    const { version } = held;
    // The agent remembers that this version was withdrawn, and did not take it again.
    const wasWithdrawn = state === "present" && held.state === "absent" && version >= wanted.version;
    if (wasWithdrawn) return { type: "outrun", version, holds: false };
    return version > wanted.version ? { type: "outrun", version, holds: true } : { type: "delivered" };
  }
  const { code = report.status, message = "The agent gave no reason." } = report.error ?? {};
  if (NOT_TRIED.has(code)) return { type: "again", error: null };
  const passing = report.lost || report.status === "timed_out" || PASSING.has(code);
  // A withdrawal stays wanted.
  if (passing || state === "absent") return { type: "again", error: message };
  return { type: "failed", error: message };
}
