import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { Hold } from "../../../schema/contract/hold.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import type { Deps } from "../../services/deps.ts";
import { readWindows } from "../../services/maintenance/index.ts";
import type { ReadWindows } from "../../services/maintenance/index.ts";
import type { AuditRow } from "../../store/audit.ts";
import { versionOf } from "../../services/executions/index.ts";
import { eventsOf } from "../../store/batched-events.ts";
import { isConflict } from "../../store/errors.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { nextInTurn } from "../../store/open-runs.ts";
import type { RunKey } from "../../store/open-runs.ts";
import { enter } from "./admission.ts";
import type { Entry } from "./admission.ts";
import { applyEvent } from "./apply-event.ts";
import { takeStep, unchanged } from "./take-step.ts";
import type { Applied } from "./take-step.ts";
import { askedEntry, isAutomatic } from "./suppressed-entry.ts";
import { entersAgain } from "./engine/step.ts";
import type { KeyTurns } from "./key-turns.ts";
import type { RunSlot } from "./slot.ts";
import { load } from "./storage.ts";
import { withdrawnEvent } from "./withdrawn.ts";

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

/** Begins the execution whose turn is next. */
export function admit(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  key: RunKey,
  turns: KeyTurns,
): Promise<Applied | null> {
  return turns.inTurn(key.concurrencyKey, async () => {
    // Decided again in the turn: an execution may have begun or ended meanwhile.
    if ((await nextInTurn(deps.db, key)) !== executionId) return null;
    const stored = slot.current ?? (await load(deps, slot, executionId));
    const withdrawn = stored === null ? null : await withdrawnEvent(deps, stored.state, { byPerson: false });
    return applyEvent(deps, slot, executionId, withdrawn ?? { type: "admitted" });
  });
}

/** How an execution that has waited enters: windows are read so, or a person begins it in spite of them. */
export interface Again {
  read: ReadWindows;
  by?: { startedBy: readonly string[]; audit: AuditRow };
  /** The end of a window is no reason to begin for an execution that waits for something else. */
  onlyMaintenance: boolean;
}

/**
 * Decides now how an execution that waits for anything but its turn enters. Any other is only woken. One that nothing
 * starts now ends.
 */
export async function enterAgain(
  deps: Deps,
  slot: RunSlot,
  executionId: string,
  turns: KeyTurns,
  again: Again = { read: readWindows, onlyMaintenance: false },
): Promise<Applied | null> {
  for (let tries = 1; ; tries += 1) {
    const stored = slot.current ?? (await load(deps, slot, executionId));
    if (stored === null) return null;
    const withdrawn = await withdrawnEvent(deps, stored.state, { byPerson: again.by !== undefined });
    if (withdrawn === null && mustWait(stored.state, again)) return unchanged(stored);
    if (!entersAgain(stored.state)) return applyEvent(deps, slot, executionId, withdrawn ?? { type: "woken" });
    try {
      return await decideAgain(deps, slot, stored, turns, { ...again, withdrawn });
    } catch (error) {
      // An event has joined since its batch was read, or another execution with its key has begun.
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
    }
  }
}

/** Only a person lets an execution begin that a maintenance window asks about. */
function mustWait({ hold }: ExecutionState, { by, onlyMaintenance }: Again): boolean {
  if (hold?.code !== "maintenance") return onlyMaintenance;
  return hold.until === undefined && by === undefined;
}

async function decideAgain(
  deps: Deps,
  slot: RunSlot,
  { state: before, meta }: StoredExecution,
  turns: KeyTurns,
  { read, by, withdrawn }: Again & { withdrawn: Entry | null },
): Promise<Applied> {
  const version = await versionOf(deps, before.versionId);
  const collecting = before.hold?.code === "collecting" ? before.hold : null;
  const events = collecting === null ? [] : await eventsOf(deps.db, before.id);
  const waiting = { ...before, trigger: withBatch(before.trigger, events) };
  const automatic = by === undefined && isAutomatic(before.trigger, meta);
  const windows = automatic ? (collecting === null ? read : withoutSkipping(read)) : null;
  const startedBy = by === undefined ? meta.startedBy : [...new Set([...meta.startedBy, ...by.startedBy])];
  const gates = { parentId: meta.parent?.executionId ?? null, inherited: [], turns, windows };
  const write = async (event: Entry, entering: ExecutionState): Promise<Applied> => {
    if (event.type === "held" && isSameWindow(event.hold, before.hold)) return unchanged({ state: before, meta });
    const person = by === undefined ? {} : { startedBy, audit: by.audit };
    const step = { before, from: entering, event, meta: { ...meta, startedBy } };
    return takeStep(deps, slot, version, step, { collected: events.length, ...person });
  };
  const asks = collecting?.asks;
  const asked = asks === undefined ? null : askedEntry(asks.window, asks.writtenKey || null, deps.now());
  const entry = withdrawn ?? asked;
  return entry === null ? enter(deps, version.definition, waiting, gates, write) : write(entry, waiting);
}

/** A window skips an event when it comes. Those that joined a run came before it, or it did not apply to them. */
function withoutSkipping(read: ReadWindows): ReadWindows {
  return async (deps) => (await read(deps)).filter(({ mode }) => mode !== "skip");
}

function isSameWindow(a: Hold, b: Hold | null): boolean {
  if (a.code !== "maintenance" || b?.code !== "maintenance") return false;
  return a.window.id === b.window.id && a.window.revision === b.window.revision;
}

function withBatch(trigger: ExecutionTrigger, batch: readonly JsonObject[]): ExecutionTrigger {
  if (trigger.type !== "incident" || batch.length === 0) return trigger;
  return { ...trigger, incident: { ...trigger.incident, batch: [...batch] } };
}
