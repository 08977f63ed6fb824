import type { Concurrency } from "../../../schema/contract/concurrency.ts";
import type { Hold } from "../../../schema/contract/hold.ts";
import type { LimitUse, RunLimits } from "../../../schema/contract/limit-group.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { QUEUED_RUNS_DEFAULT, SUB_WORKFLOW_TURN_MAX_MS } from "../../../schema/limits.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { TemplateFailure } from "../../domain/template/failure.ts";
import type { Deps } from "../../services/deps.ts";
import { windowOver } from "../../services/maintenance/index.ts";
import type { ReadWindows } from "../../services/maintenance/index.ts";
import { isWithin, openRuns } from "../../store/open-runs.ts";
import type { OpenRuns } from "../../store/open-runs.ts";
import { supersededError } from "./engine/supersede.ts";
import type { RunEvent } from "./engine/types.ts";
import { suppressedEntry } from "./suppressed-entry.ts";
import type { KeyTurns } from "./key-turns.ts";
import { triggerKeyOf } from "./trigger-key.ts";

/** The first event of an execution: it begins, waits or ends (docs/design/workflows.md#concurrency). */
export type Entry = Extract<RunEvent, { type: "started" | "held" | "refused" }>;

interface Gates {
  parentId: string | null;
  /** The limits of its ancestors. */
  inherited: readonly LimitUse[];
  turns: KeyTurns;
  /** Reads the maintenance windows; null for an execution that none keeps from beginning. */
  windows: ReadWindows | null;
}

/**
 * Decides how an execution enters, in the turn of its key. `write` commits the decision, with the execution's keys.
 */
export async function enter<T>(
  deps: Deps,
  definition: Definition,
  state: ExecutionState,
  { parentId, inherited, turns, windows }: Gates,
  write: (entry: Entry, entering: ExecutionState) => Promise<T>,
): Promise<T> {
  const keys = keysOf(definition, state, inherited);
  const runKey = runKeyOf(keys);
  const suppressing = windows === null ? null : await windowOver(deps, state, windows, runKey);
  if (suppressing !== null) return write(suppressedEntry(suppressing, runKey, deps.now()), state);
  const { concurrencyKey: key, limits, refused } = keys;
  return turns.inTurn(key, async () => {
    if (refused !== null) return write(refused, state);
    const decided = await decideEntry(deps, definition, state, { key, parentId });
    return write(decided.entry, { ...state, concurrencyKey: decided.key, limits });
  });
}

interface Keys {
  /** Null when the workflow has no rule for other runs. */
  concurrencyKey: string | null;
  limits: RunLimits | null;
  /** Set when a key cannot be filled in: the execution then has none. */
  refused: Entry | null;
}

/** The keys of an execution, from its trigger. */
function keysOf(definition: Definition, state: ExecutionState, inherited: readonly LimitUse[]): Keys {
  const fill: FillKey = (kind, key) => triggerKeyOf(kind, key, definition, state);
  const { concurrency } = definition;
  try {
    const isAlone = concurrency !== undefined && concurrency.mode !== "allow";
    const concurrencyKey = isAlone ? fill("concurrency", concurrency.key) : null;
    return { concurrencyKey, limits: limitsOf(definition, state.id, inherited, fill), refused: null };
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return { concurrencyKey: null, limits: null, refused: { type: "refused", status: "failed", error: error.failure } };
  }
}

type FillKey = (kind: "concurrency" | "limit", key: string | undefined) => string;

/**
 * A sub-workflow has the limits of its ancestors, too, and is no further run there: it counts as the ancestor that has
 * the same group and key.
 */
function limitsOf(
  { limits = [] }: Definition,
  executionId: string,
  inherited: readonly LimitUse[],
  fill: FillKey,
): RunLimits | null {
  const own: LimitUse[] = [];
  for (const { groupId, key: written } of limits) {
    const key = fill("limit", written);
    const isSame = (other: LimitUse) => other.groupId === groupId && other.key === key;
    if (!inherited.some(isSame) && !own.some(isSame)) own.push({ groupId, key, executionId });
  }
  const uses = [...own, ...inherited];
  return uses.length === 0 ? null : { uses, reserved: false };
}

/**
 * Decides by the open executions with the same key. The caller holds the key's turn until the entry is written. A
 * sub-workflow below the execution that has the turn runs within that turn, and has no key: it would wait for itself.
 */
async function decideEntry(
  deps: Deps,
  { concurrency }: Definition,
  { id, workflowId }: ExecutionState,
  { key: concurrencyKey, parentId }: { key: string | null; parentId: string | null },
): Promise<{ entry: Entry; key: string | null }> {
  if (concurrency === undefined || concurrencyKey === null) return { entry: { type: "started" }, key: null };
  const open = await openRuns(deps.db, { workflowId, concurrencyKey });
  if (open.begun !== null && parentId !== null && (await isWithin(deps.db, parentId, open.begun)))
    return { entry: { type: "started" }, key: null };
  const hold = holdOf(deps.now(), parentId);
  return { entry: entryOf(concurrency, { id, concurrencyKey }, open, hold), key: concurrencyKey };
}

/** Two sub-workflows may wait for the turns of each other's parents, so their wait has an end. */
function holdOf(now: number, parentId: string | null): Hold {
  const hold = { code: "concurrency", since: now } as const;
  return parentId === null ? hold : { ...hold, until: now + SUB_WORKFLOW_TURN_MAX_MS };
}

function entryOf(
  concurrency: Concurrency,
  { id, concurrencyKey }: { id: string; concurrencyKey: string },
  { begun, waiting, newest }: OpenRuns,
  hold: Hold,
): Entry {
  if (newest === null) return { type: "started" };
  switch (concurrency.mode) {
    case "skip":
      return refused("skipped_busy", `The run ${begun ?? "before it"} ${withKey(concurrencyKey)} had not ended.`);
    case "cancelPrevious":
      // It waited longer than the newer one before it could enter, or its event came late.
      if (newest > id) return { type: "refused", status: "cancelled", error: supersededError(newest) };
      return { type: "held", hold, supersedes: true };
    case "queue": {
      const { maxQueued = QUEUED_RUNS_DEFAULT } = concurrency;
      if (waiting < maxQueued) return { type: "held", hold, supersedes: false };
      return refused(
        "queue_full",
        `The queue ${concurrencyKey === "" ? "of this workflow" : `for the key "${concurrencyKey}"`} was full: its limit is ${maxQueued}. Run this again later, or raise maxQueued.`,
      );
    }
    case "allow":
      return { type: "started" };
  }
}

function refused(code: string, message: string): Entry {
  return { type: "refused", status: "cancelled", error: { code, message } };
}

function withKey(key: string): string {
  return key === "" ? "of this workflow" : `with the key "${key}"`;
}
