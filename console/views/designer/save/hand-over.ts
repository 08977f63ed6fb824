import type { History } from "../model/history.ts";

const handed = new Map<string, History>();

/** What one page of the designer leaves to the next of the same workflow. */
export function handOver(workflowId: string, history: History): void {
  handed.set(workflowId, history);
}

export function handedOver(workflowId: string): History | null {
  return handed.get(workflowId) ?? null;
}

/** Once the next page has it, a later visit begins from what is saved. */
export function forgetHandedOver(workflowId: string): void {
  handed.delete(workflowId);
}
