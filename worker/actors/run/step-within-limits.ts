import type { LimitUse } from "../../../schema/contract/limit-group.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import { RUNS_READ, judgeLimits } from "../../domain/limit/judge-limits.ts";
import type { Reservation } from "../../domain/limit/judge-limits.ts";
import type { Deps } from "../../services/deps.ts";
import { findWanted, reserveUses } from "../../store/limit-uses.ts";
import { step } from "./engine/step.ts";
import type { RunEvent, StepDeps, StepResult } from "./engine/types.ts";

const TRIES_MAX = 3;

/**
 * Takes a step, and reserves the limits if the step orders the execution's first unsafe action. The reservation is
 * written before the step's batch: a crash between them leaves a use that the repeated step finds again.
 */
export async function stepWithinLimits(
  deps: Deps,
  definition: Definition,
  state: ExecutionState,
  event: RunEvent,
  at: number,
  stepDeps: StepDeps,
): Promise<StepResult> {
  const result = step(definition, state, event, at, stepDeps);
  if (result.wantsReservation !== true || state.limits === null) return result;
  const reservation = await reserve(deps, state.limits.uses);
  return step(definition, state, event, at, { ...stepDeps, reservation });
}

/** All uses, or none. A place that became free between the two queries is tried for again. */
async function reserve(deps: Deps, uses: readonly LimitUse[]): Promise<Reservation> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const now = deps.now();
    if (await reserveUses(deps.db, uses, now)) return { granted: true };
    const refusal = judgeLimits(await findWanted(deps.db, uses, now, RUNS_READ), now);
    if (refusal !== null) return refusal;
  }
  throw new Error("the limits of an execution changed while they were being reserved");
}
