import type { Approved } from "../../../schema/contract/approval.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../domain/execution-state.ts";
import { markSensitive } from "../../domain/sensitive.ts";
import type { Deps } from "../../services/deps.ts";
import type { StartOrder } from "../../services/ports.ts";
import { versionOf } from "../../services/executions/index.ts";
import { isConflict } from "../../store/errors.ts";
import { findByTriggerKey, loadExecution } from "../../store/executions.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { executionsOfEvents } from "../../store/batched-events.ts";
import type { BatchedEvent } from "../../store/batched-events.ts";
import type { CollectingHold } from "../../../schema/contract/hold.ts";
import { enter } from "./admission.ts";
import type { Entry } from "./admission.ts";
import type { KeyTurns } from "./key-turns.ts";
import { takeStep, unchanged } from "./take-step.ts";
import type { Applied } from "./take-step.ts";
import { isAutomatic } from "./suppressed-entry.ts";
import { readWindows } from "../../services/maintenance/index.ts";
import { keptRuns } from "./engine/keep-runs.ts";
import { createExecution } from "./engine/step.ts";
import type { RunSlot } from "./slot.ts";
import { load } from "./storage.ts";

/**
 * Starts an execution. One that was started before is returned as it is now, also when its trigger key belongs to
 * another id. Throws when the outcome is unknown; the start may then be repeated.
 */
export async function startExecution(deps: Deps, slot: RunSlot, order: StartOrder, turns: KeyTurns): Promise<Applied> {
  if (slot.current !== null) return unchanged(slot.current);
  const joined = order.trigger.type === "incident" ? await batchOf(deps, order) : null;
  if (joined !== null) return unchanged(joined);
  const first = await firstState(deps, order);
  const windows = isAutomatic(order.trigger, { retryOf: order.retry?.of ?? null }) ? readWindows : null;
  const { parent, limits: inherited = [] } = order;
  const gates = { parentId: parent?.executionId ?? null, inherited, turns, windows };
  return enter(deps, first.version.definition, first.created, gates, (event, created) =>
    record(deps, slot, order, { ...first, created, event }),
  );
}

/** Starts an execution that waits for further events, with the first ones. */
export async function startCollecting(
  deps: Deps,
  slot: RunSlot,
  order: StartOrder,
  { hold, collects }: { hold: CollectingHold; collects: readonly BatchedEvent[] },
): Promise<Applied> {
  if (slot.current !== null) return unchanged(slot.current);
  const first = await firstState(deps, order);
  const event = { type: "held", hold, supersedes: false } as const;
  return record(deps, slot, order, { ...first, event, collects });
}

/** The execution that an event joined: the workflow may have stopped to coalesce before the call was repeated. */
async function batchOf(deps: Deps, { workflowId, triggerKey }: StartOrder): Promise<StoredExecution | null> {
  const id = (await executionsOfEvents(deps.db, workflowId, [triggerKey])).get(triggerKey);
  return id === undefined ? null : loadExecution(deps.db, id);
}

async function firstState(deps: Deps, order: StartOrder) {
  const version = await versionOf(deps, order.versionId);
  const { definition } = version;
  const { kept, copies, approved } = await keptFrom(deps, definition, order);
  const created = createExecution({
    id: order.executionId,
    workflowId: order.workflowId,
    versionId: order.versionId,
    trigger: markSensitive(order.trigger, version.trigger),
    startedAt: order.startedAt,
    depth: order.parent?.depth ?? 0,
    kept,
    approved: order.approved ?? approved,
  });
  return { version, created, copies };
}

type First = Awaited<ReturnType<typeof firstState>> & {
  event: Entry;
  collects?: readonly BatchedEvent[];
};

async function record(
  deps: Deps,
  slot: RunSlot,
  order: StartOrder,
  { version, created, copies, event, collects }: First,
): Promise<Applied> {
  const { triggerKey, webhookKey, parent, retry, startedBy = [], schedule, audit } = order;
  const meta = { triggerKey, webhookKey, parent: parent ?? null, retryOf: retry?.of ?? null, startedBy };
  try {
    const step = { before: null, from: created, event, meta };
    return await takeStep(deps, slot, version, step, { schedule, audit, copies, collects });
  } catch (error) {
    if (!isConflict(error)) throw error;
    const stored =
      (await load(deps, slot, order.executionId)) ??
      (await findByTriggerKey(deps.db, order.workflowId, order.triggerKey));
    if (stored === null) throw error;
    return unchanged(stored);
  }
}

/** The node runs that a retry from the failed node copies from the former execution. */
async function keptFrom(
  deps: Deps,
  definition: Definition,
  { retry }: StartOrder,
): Promise<{ kept: NodeRun[]; copies: ReadonlyMap<string, string>; approved: Approved | null }> {
  const copies = new Map<string, string>();
  if (retry === undefined || retry.from === "start") return { kept: [], copies, approved: null };
  const before = await loadExecution(deps.db, retry.of);
  if (before === null) throw new Error(`execution ${retry.of} is not in the database`);
  const kept = keptRuns(definition, before.state, (from) => {
    const id = deps.newId("nodeRun");
    copies.set(id, from.id);
    return id;
  });
  // A kept approval was given to the former state.
  return { kept, copies, approved: before.state.approved };
}
