import { useMemo, useSyncExternalStore } from "react";
import type { GivenNode, Sample } from "../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { useRead } from "../api/queries.ts";
import { useWorkflowId } from "./use-workflow-id.ts";

/** How nodes are taken to have ended, by their ids. */
export type Given = Readonly<Record<string, GivenNode>>;

interface Trial {
  /** Null: the suggested one. */
  readonly sample: Sample | null;
  readonly given: Given;
}

/**
 * What somebody tries the workflow of this page with: forms offer the names in it, and it is there again when the panel
 * is. One page edits one workflow, so there is one.
 */
let current: { readonly workflowId: string | null; readonly trial: Trial } | null = null;
const listeners = new Set<() => void>();
const NOTHING: Trial = { sample: null, given: {} };

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The data that were chosen to try with, and how to choose others. */
export function useTrial(): readonly [trial: Trial, change: (part: Partial<Trial>) => void] {
  const workflowId = useWorkflowId();
  const chosen = useSyncExternalStore(subscribe, () => current);
  const trial = chosen?.workflowId === workflowId ? chosen.trial : NOTHING;
  const change = (part: Partial<Trial>) => {
    current = { workflowId, trial: { ...trial, ...part } };
    for (const listener of listeners) listener();
  };
  return [trial, change];
}

/** What started the workflow last; null when nothing did, undefined while it is not known. */
export function useLastTrigger(): ExecutionTrigger | null | undefined {
  const workflowId = useWorkflowId();
  const last = useRead(
    "/api/v1/automation/executions",
    { query: { ...(workflowId === null ? {} : { workflowId }), limit: 1 } },
    { enabled: workflowId !== null },
  );
  if (workflowId === null || last.error !== null) return null;
  return last.data === undefined ? undefined : (last.data.items[0]?.trigger ?? null);
}

/** The variables, or the incident, that the trigger is known to bring along. */
export function useKnownVariables(): JsonObject {
  const [{ sample }] = useTrial();
  const last = useLastTrigger();
  return useMemo(() => {
    const chosen = sample?.variables ?? sample?.incident;
    if (chosen !== undefined) return chosen;
    if (last === null || last === undefined) return {};
    return "variables" in last ? last.variables : last.type === "incident" ? last.incident : {};
  }, [sample, last]);
}
