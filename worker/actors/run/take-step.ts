import type { ExecutionState } from "../../domain/execution-state.ts";
import type { Deps } from "../../services/deps.ts";
import { rootIdOf } from "../../store/execution-rows.ts";
import type { ExecutionMeta } from "../../store/execution-rows.ts";
import type { StoredExecution } from "../../store/executions.ts";
import type { RunnableVersion } from "../../store/workflow-versions.ts";
import { tookEffect } from "./engine/step.ts";
import type { RunEffect, RunEvent } from "./engine/types.ts";
import type { RunSlot } from "./slot.ts";
import { stepDepsOf } from "./step-deps.ts";
import { stepWithinLimits } from "./step-within-limits.ts";
import { commit } from "./storage.ts";
import type { TakenStep } from "./storage.ts";

export interface Applied {
  stored: StoredExecution;
  effects: readonly RunEffect[];
  /** False when something else happened than the event asked for: see `tookEffect` in engine/step.ts. */
  tookEffect: boolean;
}

interface Step {
  /** As the database has it; null for the first step. */
  before: ExecutionState | null;
  /** The state to which the event applies. */
  from: ExecutionState;
  event: RunEvent;
  /** After the step. */
  meta: ExecutionMeta;
}

/**
 * Takes and commits one step of an execution. A step that changes nothing commits nothing, and the audit entry is
 * written only if the event had its effect. Fails as a conflict when another writer was first.
 */
export async function takeStep(
  deps: Deps,
  slot: RunSlot,
  version: RunnableVersion,
  { before, from, event, meta }: Step,
  { audit, ...more }: Pick<TakenStep, "audit" | "collected" | "collects" | "copies" | "schedule" | "startedBy"> = {},
): Promise<Applied> {
  const stepDeps = await stepDepsOf(deps, version, rootIdOf(from, meta));
  const at = deps.now();
  const { state, effects, kept } = await stepWithinLimits(deps, version.definition, from, event, at, stepDeps);
  const after = { state, meta };
  if (state.revision === from.revision) return unchanged(after);
  const effective = tookEffect(event, state);
  const audited = effective ? audit : undefined;
  await commit(deps, slot, { ...more, before, after, event, effects, kept, at, audit: audited });
  return { stored: after, effects, tookEffect: effective };
}

export function unchanged(stored: StoredExecution): Applied {
  return { stored, effects: [], tookEffect: false };
}
