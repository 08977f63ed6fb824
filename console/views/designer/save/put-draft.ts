import type { QueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { WorkflowView } from "../../../../schema/contract/management.ts";
import { call } from "../../../api/client.ts";
import type { Draft } from "../model/commands.ts";

export const LIST = "/api/v1/automation/workflows";
export const ONE = `${LIST}/{id}` as const;

const underWay = new Map<string, Promise<unknown>>();

/** Replaces the draft of a revision, with or without problems, and updates what pages have read of the workflow. */
export async function putDraft(
  queries: QueryClient,
  { id, revision, draft }: { id: string; revision: number; draft: Draft },
): Promise<WorkflowView> {
  const saving = call("PUT", ONE, { path: { id }, body: { ...draft, draft: true } }, { ifMatch: revision });
  underWay.set(id, saving);
  try {
    const workflow = await saving;
    queries.setQueryData([ONE, { path: { id } }], workflow);
    void queries.invalidateQueries({ queryKey: [LIST] });
    return workflow;
  } finally {
    if (underWay.get(id) === saving) underWay.delete(id);
  }
}

/** False while a save from an earlier visit is under way: what was read of the workflow is about to change. */
export function useIsSettled(id: string): boolean {
  const [settled, setSettled] = useState(() => !underWay.has(id));
  useEffect(() => {
    if (settled) return undefined;
    let isGone = false;
    const settle = () => {
      if (!isGone) setSettled(true);
    };
    // `putDraft` updates what was read in an earlier reaction to the same promise.
    (underWay.get(id) ?? Promise.resolve()).then(settle, settle);
    return () => {
      isGone = true;
    };
  }, [id, settled]);
  return settled;
}
