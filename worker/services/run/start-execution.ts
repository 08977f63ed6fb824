import { createExecution, step } from "../../domain/run.ts";
import { isConflict } from "../../store/errors.ts";
import { findByTriggerKey } from "../../store/executions.ts";
import type { StoredExecution } from "../../store/executions.ts";
import type { Deps } from "../deps.ts";
import type { StartOrder } from "../ports.ts";
import { commit, load } from "./apply-event.ts";
import type { Applied } from "./apply-event.ts";
import { routesOf } from "./connection-routes.ts";
import { definitionOf } from "./definitions.ts";
import type { RunSlot } from "./slot.ts";

/**
 * Starts an execution; one that was started before is given as it stands, also when its trigger key was taken by
 * another id. Throws when the outcome is not known; then it may be started again.
 */
export async function startExecution(deps: Deps, slot: RunSlot, order: StartOrder): Promise<Applied> {
  if (slot.current !== null) return { stored: slot.current, effects: [] };
  const definition = await definitionOf(deps, order.versionId);
  const route = await routesOf(deps, definition);
  const now = deps.now();
  const event = { type: "started" } as const;
  const initial = createExecution({
    id: order.executionId,
    workflowId: order.workflowId,
    versionId: order.versionId,
    trigger: order.trigger,
    startedAt: order.startedAt,
  });
  const { state, effects } = step(definition, initial, event, now, { newId: deps.newId, route });
  const after: StoredExecution = { state, meta: { triggerKey: order.triggerKey, webhookKey: order.webhookKey } };
  try {
    await commit(deps, slot, null, after, event, effects, now);
    return { stored: after, effects };
  } catch (error) {
    if (!isConflict(error)) throw error;
    const stored =
      (await load(deps, slot, order.executionId)) ??
      (await findByTriggerKey(deps.db, order.workflowId, order.triggerKey));
    if (stored === null) throw error;
    return { stored, effects: [] };
  }
}
