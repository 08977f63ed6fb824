import { isTerminalNodeRun } from "../../../schema/contract/execution.ts";
import type { Edge } from "../../../schema/contract/workflow.ts";
import type { Draft } from "./draft.ts";
import { startNode } from "./start-node.ts";

/**
 * Follows what ended until nothing more follows: a node runs when all its incoming edges are settled and one was taken;
 * it is skipped when none was. Ends the execution when every node has ended.
 */
export function settle(draft: Draft): void {
  for (;;) {
    for (let nodeId = draft.ended.shift(); nodeId !== undefined; nodeId = draft.ended.shift())
      settleEdges(draft, nodeId);
    if (!releaseHandler(draft)) break;
  }
  for (const run of draft.runs) if (!isTerminalNodeRun(run.status)) return;
  draft.status = draft.error === null ? "succeeded" : "failed";
}

/** Starts or skips a node whose incoming edges are all settled. */
export function enterNode(draft: Draft, nodeId: string): void {
  const { incoming } = draft.node(nodeId);
  if (incoming.length === 0 || incoming.some((edge) => isTaken(draft, edge))) startNode(draft, nodeId);
  else draft.update(nodeId, { status: "skipped" });
}

/** Whether the edge's node left by it. */
export function isTaken(draft: Draft, edge: Edge): boolean {
  return draft.run(edge.from).outcome === edge.on;
}

function settleEdges(draft: Draft, nodeId: string): void {
  for (const { to } of draft.node(nodeId).outgoing) {
    if (draft.run(to).status !== "pending") continue;
    const { incoming } = draft.node(to);
    if (incoming.every((edge) => isTerminalNodeRun(draft.run(edge.from).status))) enterNode(draft, to);
  }
}

/**
 * The handler of the whole workflow waits for a failure. When everything that could fail has ended, its turn is over,
 * and what waits for it at a join goes on. True when that happened.
 */
function releaseHandler(draft: Draft): boolean {
  const { rootHandler, behindHandler } = draft.index;
  if (rootHandler === null || draft.run(rootHandler).status !== "pending") return false;
  for (const run of draft.runs) {
    if (!behindHandler.has(run.nodeId) && !isTerminalNodeRun(run.status)) return false;
  }
  draft.update(rootHandler, { status: "skipped" });
  return true;
}
