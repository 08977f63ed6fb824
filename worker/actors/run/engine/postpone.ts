import type { Scope } from "./scope.ts";

/** Lets a node begin with the next step, which comes at once: this one has rendered as much as a batch should hold. */
export function postpone(scope: Scope, nodeId: string): void {
  scope.update(nodeId, { status: "waiting", error: null, wakeAt: scope.draft.now + 1 });
}
