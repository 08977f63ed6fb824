import { expireApproval } from "./approval.ts";
import type { Draft } from "./draft.ts";
import { succeed } from "./end-node.ts";
import { startAction } from "./start-action.ts";
import { lookForChild, startSubWorkflow } from "./sub-workflow.ts";

/** Lets happen what is due: a delay is over, an attempt follows, an approval expires, a child is looked for. */
export function wake(draft: Draft): void {
  for (const run of draft.runs) {
    if (run.wakeAt === null || run.wakeAt > draft.now) continue;
    const scope = draft.scopeOf(run);
    const { node } = scope.node(run.nodeId);
    if (node.type === "workflow" && run.status === "running") lookForChild(scope, node);
    if (run.status !== "waiting") continue;
    if (node.type === "workflow") startSubWorkflow(scope, node);
    if (node.type === "delay") succeed(scope, node.id, { output: null });
    if (node.type === "approval") expireApproval(scope, node);
    if (node.type !== "action" || draft.isFull) continue;
    // Without an error it is no further attempt: it was postponed before its first.
    if (run.error !== null) scope.update(node.id, { attempt: run.attempt + 1 });
    startAction(scope, node);
  }
}
