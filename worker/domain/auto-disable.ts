import { ID_PREFIXES } from "../../schema/contract/ids.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { AUTO_DISABLE_AFTER_FAILURES } from "../../schema/limits.ts";
import type { ExecutionState } from "./execution-state.ts";

const SHOWN_CHARS = 500;

/** What the end of an execution means for its workflow's count of consecutive failures. */
export type ScheduleOutcome = "failed" | "succeeded" | "doesNotCount";

/**
 * Only what a schedule started counts: no run by hand, no retry of one, no sub-workflow; and nothing that was cancelled
 * (docs/design/workflows.md#auto-disable). "Consecutive" is by end, in the order of the commits: of runs
 * that overlap, the one that ends last speaks last.
 */
export function scheduleOutcome(ended: ExecutionState, retryOf: string | null): ScheduleOutcome {
  if (ended.trigger.type !== "cron" || retryOf !== null) return "doesNotCount";
  return ended.status === "failed" || ended.status === "succeeded" ? ended.status : "doesNotCount";
}

/** Why a schedule was switched off, for the banner. */
export function autoDisableReason(error: Failure | null): string {
  const said = error === null ? "" : ` The last one ended with ${error.code}: ${shortened(error.message)}`;
  return `${AUTO_DISABLE_AFTER_FAILURES} scheduled runs in a row failed, so the schedule was switched off.${said} Mend the cause, then activate the workflow.`;
}

/** Ids rise with time (uuidv7): every entry of the audit log that was made at this moment or later has a larger one. */
export function earliestAuditId(atMs: number): string {
  const hex = atMs.toString(16).padStart(12, "0");
  return `${ID_PREFIXES.audit}_${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The id of the entry that the end of this execution brings: its time, and the execution's own random bits. */
export function auditIdOfEnd(executionId: string, atMs: number): string {
  return `${earliestAuditId(atMs)}-${executionId.slice(`${ID_PREFIXES.execution}_00000000-0000-`.length)}`;
}

function shortened(message: string): string {
  const text = message.trim();
  const cut = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  return /[.!?…]$/u.test(cut) ? cut : `${cut}.`;
}
