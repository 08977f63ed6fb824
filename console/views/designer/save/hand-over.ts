import type { History } from "../model/history.ts";

const handed = new Map<string, History>();

/** Passes the history of a workflow from one page of the designer to the next. */
export function handOver(workflowId: string, history: History): void {
  handed.set(workflowId, history);
}

export function handedOver(workflowId: string): History | null {
  return handed.get(workflowId) ?? null;
}

/** Call this when the next page has the history: a later visit begins with the saved draft. */
export function forgetHandedOver(workflowId: string): void {
  handed.delete(workflowId);
}
