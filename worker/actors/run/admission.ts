import type { Failure } from "../../../schema/contract/problem.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { CONCURRENCY_KEY_MAX_CHARS, QUEUED_RUNS_DEFAULT } from "../../../schema/limits.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import { renderText } from "../../domain/render-data.ts";
import { TemplateFailure } from "../../domain/template/failure.ts";
import type { Deps } from "../../services/deps.ts";
import { openRuns } from "../../store/open-runs.ts";
import { triggerValues } from "./engine/resolve.ts";
import type { RunEvent } from "./engine/types.ts";

/** The delay after which the call that ends the older executions is repeated: see `lookAgain` in engine/step.ts. */
const SUPERSEDE_AGAIN_MS = 10_000;

/** The first event of an execution: it begins, waits or ends (docs/design/workflows.md#concurrency). */
export type Entry = Extract<RunEvent, { type: "started" | "held" | "refused" }>;

/** The key of an execution; null when the workflow has no rule, or when the execution is refused. */
export function concurrencyKeyOf(
  definition: Definition,
  state: ExecutionState,
): { key: string | null; refused: Entry | null } {
  const { concurrency } = definition;
  if (concurrency === undefined || concurrency.mode === "allow") return { key: null, refused: null };
  try {
    const key = renderText(concurrency.key ?? "", triggerValues(definition, state));
    return key.length <= CONCURRENCY_KEY_MAX_CHARS ? { key, refused: null } : { key: null, refused: tooLong(key) };
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return { key: null, refused: { type: "refused", status: "failed", error: error.failure } };
  }
}

/** Decides by the open executions with the same key. The caller holds the key's turn until the entry is written. */
export async function decideEntry(
  deps: Deps,
  { concurrency }: Definition,
  { workflowId, concurrencyKey }: ExecutionState,
): Promise<Entry> {
  if (concurrency === undefined || concurrencyKey === null) return { type: "started" };
  const { begun, waiting } = await openRuns(deps.db, { workflowId, concurrencyKey });
  if (begun === null && waiting === 0) return { type: "started" };
  const hold = { code: "concurrency", since: deps.now() } as const;
  switch (concurrency.mode) {
    case "skip":
      return refused("skipped_busy", `The run ${begun ?? "before it"} ${withKey(concurrencyKey)} had not ended.`);
    case "cancelPrevious":
      return { type: "held", hold, lookAgainAt: deps.now() + SUPERSEDE_AGAIN_MS };
    case "queue": {
      const { maxQueued = QUEUED_RUNS_DEFAULT } = concurrency;
      if (waiting < maxQueued) return { type: "held", hold, lookAgainAt: null };
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

function tooLong(key: string): Entry {
  const error: Failure = {
    code: "key_too_long",
    message: `The concurrency key has ${key.length} characters with its values, and at most ${CONCURRENCY_KEY_MAX_CHARS} are allowed. Use a shorter value.`,
  };
  return { type: "refused", status: "failed", error };
}
