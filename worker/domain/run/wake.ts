import type { Draft } from "./draft.ts";
import { succeed } from "./end-node.ts";
import { startAction } from "./start-action.ts";

/** Lets happen what is due: a delay is over, an attempt follows. */
export function wake(draft: Draft): void {
  for (const run of draft.runs) {
    if (run.wakeAt === null || run.wakeAt > draft.now || run.status !== "waiting") continue;
    const { node } = draft.node(run.nodeId);
    if (node.type === "delay") succeed(draft, node.id, { output: null });
    if (node.type !== "action") continue;
    draft.update(node.id, { attempt: run.attempt + 1 });
    startAction(draft, node);
  }
}
