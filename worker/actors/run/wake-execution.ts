import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { Deps } from "../../services/deps.ts";
import { versionOf } from "../../services/executions/index.ts";
import { eventsOf } from "../../store/batched-events.ts";
import { isConflict } from "../../store/errors.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { enter } from "./admission.ts";
import { applyEvent } from "./apply-event.ts";
import type { Applied } from "./apply-event.ts";
import { entersAgain } from "./engine/step.ts";
import type { KeyTurns } from "./key-turns.ts";
import type { RunSlot } from "./slot.ts";
import { stepDepsOf } from "./step-deps.ts";
import { stepWithinLimits } from "./step-within-limits.ts";
import { commit, load } from "./storage.ts";

const TRIES_MAX = 3;

/** Performs what is due. An execution whose reason to wait has passed enters as a new one does. */
export async function wakeExecution(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  turns: KeyTurns,
): Promise<Applied | null> {
  const stored = slot.current ?? (await load(deps, slot, executionId));
  const wakeAt = stored?.state.wakeAt ?? null;
  const isDue = wakeAt !== null && wakeAt <= deps.now();
  return isDue ? enterAgain(deps, slot, executionId, turns) : applyEvent(deps, slot, executionId, { type: "woken" });
}

/** Decides now how an execution that waits for anything but its turn enters. Any other is only woken. */
export async function enterAgain(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  turns: KeyTurns,
): Promise<Applied | null> {
  for (let tries = 1; ; tries += 1) {
    const stored = slot.current ?? (await load(deps, slot, executionId));
    if (stored === null || !entersAgain(stored.state)) return applyEvent(deps, slot, executionId, { type: "woken" });
    try {
      return await decideAgain(deps, slot, stored, turns);
    } catch (error) {
      // An event has joined since its batch was read, or another execution with its key has begun.
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
    }
  }
}

async function decideAgain(
  deps: Deps,
  slot: RunSlot,
  { state: before, meta }: StoredExecution,
  turns: KeyTurns,
): Promise<Applied> {
  const version = await versionOf(deps, before.versionId);
  const stepDeps = await stepDepsOf(deps, version);
  const events = before.hold?.code === "collecting" ? await eventsOf(deps.db, before.id) : [];
  const waiting = { ...before, trigger: withBatch(before.trigger, events) };
  const parentId = meta.parent?.executionId ?? null;
  const { definition } = version;
  return enter(deps, definition, waiting, { parentId, inherited: [], turns }, async (event, entering) => {
    const at = deps.now();
    const { state, effects, limitReached } = await stepWithinLimits(deps, definition, entering, event, at, stepDeps);
    const after = { state, meta };
    await commit(deps, slot, { before, after, event, effects, limitReached, at, collected: events.length });
    return { stored: after, effects, tookEffect: true };
  });
}

function withBatch(trigger: ExecutionTrigger, batch: readonly JsonObject[]): ExecutionTrigger {
  if (trigger.type !== "incident" || batch.length === 0) return trigger;
  return { ...trigger, incident: { ...trigger.incident, batch: [...batch] } };
}
