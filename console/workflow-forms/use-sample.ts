import { useMemo, useSyncExternalStore } from "react";
import { useRoute } from "wouter";
import type { GivenNode, Sample } from "../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { useRead } from "../api/queries.ts";

/** Assumed results of nodes, by node id. */
export type Given = Readonly<Record<string, GivenNode>>;

interface Trial {
  /** Null: the suggested sample. */
  readonly sample: Sample | null;
  /** The sample request of the sender that the trigger was set up for. */
  readonly preset: JsonObject | null;
  readonly given: Given;
}

/**
 * The sample data for the workflow of this page. Forms offer its names, and it survives closing the panel. One page
 * edits one workflow, so one value is enough.
 */
let current: { readonly workflowId: string | null; readonly trial: Trial } | null = null;
const listeners = new Set<() => void>();
const NOTHING: Trial = { sample: null, preset: null, given: {} };

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen sample data, and a function that changes it. */
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

/** The trigger of the workflow's last execution; null without one, undefined while it is read. */
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

/** A webhook's last request, or the sample request of its sender; null without one. */
export function useKnownRequest(): JsonObject | null {
  const [{ preset }] = useTrial();
  const last = useLastTrigger();
  return last?.type === "webhook" && "body" in last.variables ? last.variables : preset;
}

/** The trigger's known variables, its known incident or its known failed run. */
export function useKnownVariables(): JsonObject {
  const [{ sample }] = useTrial();
  const last = useLastTrigger();
  return useMemo(() => {
    const chosen = sample?.variables ?? sample?.incident ?? sample?.failed;
    if (chosen !== undefined) return chosen;
    if (last === null || last === undefined) return {};
    if ("variables" in last) return last.variables;
    if (last.type === "incident") return last.incident;
    return last.type === "failure" ? last.failed : {};
  }, [sample, last]);
}

/** The id of the edited workflow, from the page's address; null for a new workflow. */
function useWorkflowId(): string | null {
  const [, params] = useRoute("/workflows/:id/edit");
  return params?.id ?? null;
}
