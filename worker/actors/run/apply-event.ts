import { isTerminalExecution } from "../../../schema/contract/execution.ts";
import type { Deps } from "../../services/deps.ts";
import { versionOf } from "../../services/executions/index.ts";
import type { AuditRow } from "../../store/audit.ts";
import { isConflict } from "../../store/errors.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { recordLateEnd } from "../../store/jobs.ts";
import { tookEffect } from "./engine/step.ts";
import type { RunEffect, RunEvent } from "./engine/types.ts";
import type { RunSlot } from "./slot.ts";
import { stepDepsOf } from "./step-deps.ts";
import { stepWithinLimits } from "./step-within-limits.ts";
import { commit, load } from "./storage.ts";

export interface Applied {
  stored: StoredExecution;
  effects: readonly RunEffect[];
  /** False when something else happened than the event asked for: see `tookEffect` in engine/step.ts. */
  tookEffect: boolean;
}

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
    const stepDeps = await stepDepsOf(deps, version);
    const at = deps.now();
    const { definition } = version;
    const { state, effects, limitReached } = await stepWithinLimits(
      deps,
      definition,
      stored.state,
      event,
      at,
      stepDeps,
    );
    if (state.revision === stored.state.revision) return unchanged(stored);
    const after = { state, meta: stored.meta };
    const effective = tookEffect(event, state);
    const audited = effective ? audit : undefined;
    try {
      await commit(deps, slot, { before: stored.state, after, event, effects, limitReached, at, audit: audited });
      return { stored: after, effects, tookEffect: effective };
    } catch (error) {
      // Another copy of this object, or a batch whose answer was lost, was first. Read its state.
      if (!isConflict(error) || conflicts >= MAX_CONFLICTS) throw error;
    }
  }
}

export function unchanged(stored: StoredExecution): Applied {
  return { stored, effects: [], tookEffect: false };
}
