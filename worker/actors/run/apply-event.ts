import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { Deps } from "../../services/deps.ts";
import { versionOf } from "../../services/executions/index.ts";
import type { AuditRow } from "../../store/audit.ts";
import { isConflict } from "../../store/errors.ts";
import { recordLateEnd } from "../../store/jobs.ts";
import type { RunEvent } from "./engine/types.ts";
import type { RunSlot } from "./slot.ts";
import { load } from "./storage.ts";
import { takeStep, unchanged } from "./take-step.ts";
import type { Applied } from "./take-step.ts";

const MAX_CONFLICTS = 3;

/**
 * Applies one event to an execution as one committed step, with the audit entry of the person who sent it. Null when
 * there is no such execution. An event that changes nothing commits nothing. Throws when the outcome is unknown; the
 * event may then be applied again.
 */
export async function applyEvent(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  event: RunEvent,
  audit?: AuditRow,
): Promise<Applied | null> {
  for (let conflicts = 0; ; conflicts += 1) {
    const stored = slot.current ?? (await load(deps, slot, executionId));
    if (stored === null) return null;
    const isOver = isTerminalExecution(stored.state.status);
    if (isOver && event.type === "jobFinished") await recordLateEnd(deps.db, event.report);
    // An ended execution without effects to repeat no longer changes, so its definition is not read.
    if (isOver && stored.state.wakeAt === null) return unchanged(stored);
    const version = await versionOf(deps, stored.state.versionId);
    const { state, meta } = stored;
    try {
      return await takeStep(deps, slot, version, { before: state, from: state, event, meta }, { audit });
    } catch (error) {
      // Another copy of this object, or a batch whose answer was lost, was first. Read its state.
      if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
    }
  }
}
