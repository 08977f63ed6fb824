import type { CollectingHold, SuppressingWindow } from "../../../schema/contract/hold.ts";
import { BATCH_EVENTS_MAX, BATCH_MAX_BYTES } from "../../../schema/limits.ts";
import { jsonBytes } from "../../domain/json-bytes.ts";
import { TemplateFailure } from "../../domain/template/failure.ts";
import type { Deps } from "../../services/deps.ts";
import { versionOf } from "../../services/executions/index.ts";
import { readWindows, windowOver } from "../../services/maintenance/index.ts";
import type { StartOrder } from "../../services/ports.ts";
import { addToBatch, executionsOfEvents, openBatch } from "../../store/batched-events.ts";
import type { BatchedEvent, OpenBatch } from "../../store/batched-events.ts";
import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { addTotals } from "../../store/totals.ts";
import { createExecution } from "./engine/step.ts";
import { triggerKeyOf } from "./trigger-key.ts";

/** An incident event whose workflow coalesces. */
export interface Collectable {
  order: StartOrder;
  event: BatchedEvent;
  windowMs: number;
  asks: CollectingHold["asks"];
}

const TRIES_MAX = 10;

/**
 * Null for any other start: a retry has its batch, a key that cannot be made leaves the event alone, and so does a
 * maintenance window that skips it.
 */
export async function toCollect(deps: Deps, order: StartOrder): Promise<{ key: string; item: Collectable } | null> {
  const { trigger, retry, triggerKey } = order;
  if (trigger.type !== "incident" || retry !== undefined) return null;
  const version = await versionOf(deps, order.versionId);
  const coalesce = version.trigger.type === "incident" ? version.trigger.coalesce : undefined;
  if (coalesce === undefined) return null;
  const { executionId: id, workflowId, versionId, startedAt } = order;
  const state = createExecution({ id, workflowId, versionId, trigger, startedAt });
  const window = await windowOver(deps, state, readWindows);
  if (window?.mode === "skip") return null;
  try {
    const writtenKey = triggerKeyOf("coalescing", coalesce.key, version.definition, state);
    const event = { triggerKey, snapshot: trigger.incident };
    const item = { order, event, windowMs: coalesce.windowSeconds * 1_000 };
    return window?.mode === "ask"
      ? askedBatch(window, writtenKey, item)
      : { key: writtenKey, item: { ...item, asks: undefined } };
  } catch (error) {
    if (error instanceof TemplateFailure) return null;
    throw error;
  }
}

/** The events that a window asks about join another run than those before and after the window. */
function askedBatch({ id, name, revision }: SuppressingWindow, writtenKey: string, item: Omit<Collectable, "asks">) {
  return { key: `${id}:${writtenKey}`, item: { ...item, asks: { window: { id, name, revision }, writtenKey } } };
}

interface Batches {
  /** Starts an execution that collects. Fails as a conflict when one with its key does so already. */
  start(order: StartOrder, batch: { hold: CollectingHold; collects: readonly BatchedEvent[] }): Promise<void>;
  /** Lets a full one enter before its time. */
  close(executionId: string): Promise<void>;
}

/**
 * Adds events with one key to the open batch of their workflow, or opens one. Each event joins once, also when the
 * call is repeated. Returns the execution of each event.
 */
export async function collectEvents(
  deps: Deps,
  key: string,
  items: readonly Collectable[],
  batches: Batches,
): Promise<string[]> {
  const workflowId = items[0]?.order.workflowId ?? "";
  const triggerKeys = items.map(({ event }) => event.triggerKey);
  for (let tries = 1; ; tries += 1) {
    const joined = await executionsOfEvents(deps.db, workflowId, triggerKeys);
    // A repeated call may be made before the first has ended.
    const byKey = new Map(items.map((item) => [item.event.triggerKey, item]));
    const [first, ...others] = [...byKey].filter(([triggerKey]) => !joined.has(triggerKey)).map(([, item]) => item);
    if (first === undefined) return triggerKeys.map((triggerKey) => joined.get(triggerKey) ?? "");
    if (tries > TRIES_MAX) throw new Error("the events could not join a batch");
    try {
      await addSome(deps, { workflowId, key }, [first, ...others], batches);
    } catch (error) {
      // Another copy of this object was first.
      if (!isConflict(error)) throw error;
    }
  }
}

async function addSome(
  deps: Deps,
  { workflowId, key }: { workflowId: string; key: string },
  items: readonly [Collectable, ...Collectable[]],
  batches: Batches,
): Promise<void> {
  const open = await openBatch(deps.db, workflowId, key);
  const collects = fitting(items, open);
  const [{ order, windowMs, asks }] = items;
  if (open === null) {
    const since = deps.now();
    const hold = { code: "collecting", since, until: since + windowMs, key, ...(asks && { asks }) } as const;
    await batches.start(order, { hold, collects });
  } else if (collects.length === 0) await batches.close(open.executionId);
  else {
    const batch = { executionId: open.executionId, workflowId, from: open.events };
    await writeBatch(deps.db, [addToBatch(batch, collects), ...addTotals([["eventsJoined", collects.length]])]);
  }
}

/** The first events for which the batch has room; an empty one takes any event. */
function fitting(items: readonly Collectable[], open: OpenBatch | null): BatchedEvent[] {
  let { events, bytes } = open ?? { events: 0, bytes: 0 };
  const fits: BatchedEvent[] = [];
  for (const { event } of items) {
    bytes += jsonBytes(event.snapshot);
    events += 1;
    if (events > 1 && (events > BATCH_EVENTS_MAX || bytes > BATCH_MAX_BYTES)) break;
    fits.push(event);
  }
  return fits;
}
