import { ID_PREFIXES } from "../../schema/contract/ids.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { AUTO_DISABLE_AFTER_FAILURES } from "../../schema/limits.ts";
import type { ExecutionState } from "./execution-state.ts";

const SHOWN_CHARS = 500;

/** How the end of an execution changes its workflow's count of consecutive failures. */
export type ScheduleOutcome = "failed" | "succeeded" | "doesNotCount";

/**
 * Only executions that a schedule started count, and no cancelled ones: no run by hand, no retry, no sub-workflow
 * (docs/design/workflows.md#auto-disable). "Consecutive" means in the order in which the ends are committed: of
 * overlapping runs, the last one to end decides.
 */
export function scheduleOutcome(ended: ExecutionState, retryOf: string | null): ScheduleOutcome {
  if (ended.trigger.type !== "cron" || retryOf !== null) return "doesNotCount";
  // A limit protects its target. It is no fault of the workflow, and ends by itself.
  if (ended.error?.code === "limit_reached") return "doesNotCount";
  return ended.status === "failed" || ended.status === "succeeded" ? ended.status : "doesNotCount";
}

/** The reason why a schedule was switched off, for the banner. */
export function autoDisableReason(error: Failure | null): string {
  const said = error === null ? "" : ` The last one ended with ${error.code}: ${shortened(error.message)}`;
  return `${AUTO_DISABLE_AFTER_FAILURES} scheduled runs in a row failed, so the schedule was switched off.${said} Fix the cause, then activate the workflow.`;
}

/** Ids rise with time (uuidv7): every audit entry made at this moment or later has a larger one. */
export function earliestAuditId(atMs: number): string {
  const hex = atMs.toString(16).padStart(12, "0");
  return `${ID_PREFIXES.audit}_${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** The id of the audit entry for the end of this execution: the time of the end, and the execution's random bits. */
export function auditIdOfEnd(executionId: string, atMs: number): string {
  return `${earliestAuditId(atMs)}-${executionId.slice(`${ID_PREFIXES.execution}_00000000-0000-`.length)}`;
}

function shortened(message: string): string {
  const text = message.trim();
  const cut = text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
  return /[.!?…]$/u.test(cut) ? cut : `${cut}.`;
}
