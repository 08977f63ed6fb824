import { isTerminalNodeRun } from "../../../../schema/contract/execution.ts";
import type { Draft, Scope } from "./draft.ts";
import { advanceForEach } from "./for-each.ts";
import { startNode } from "./start-node.ts";
import { supersededError } from "./supersede.ts";

/**
 * Follows edges until nothing changes (docs/design/workflows.md#which-nodes-run). A graph whose nodes have all ended is
 * over: an iteration, and so perhaps its forEach, or the execution.
 */
export function propagate(draft: Draft): void {
  for (;;) {
    for (let opened = draft.opened.shift(); opened !== undefined; opened = draft.opened.shift()) enterScope(opened);
    for (let last = draft.ended.shift(); last !== undefined; last = draft.ended.shift()) {
      followEdges(last.scope, last.nodeId);
    }
    if (draft.opened.length > 0) continue;
    const [scope] = draft.touched;
    if (scope === undefined) break;
    draft.touched.delete(scope);
    if (!releaseHandler(scope) && scope.parent !== null && scope.over) iterationOver(scope.parent);
  }
  if (!draft.root.over) return;
  if (draft.supersededBy === null) draft.status = draft.error === null ? "succeeded" : "failed";
  else {
    draft.status = "cancelled";
    draft.error = supersededError(draft.supersededBy);
  }
}

/** Starts the nodes without incoming edges, except the handler, which waits. Nodes kept by a retry count as ended. */
function enterScope(scope: Scope): void {
  for (const { node, incoming } of scope.index.nodes.values()) {
    const { status } = scope.run(node.id);
    if (isTerminalNodeRun(status)) scope.draft.ended.push({ scope, nodeId: node.id });
    else if (incoming.length === 0 && node.id !== scope.index.rootHandler) enterNode(scope, node.id);
  }
}

/** Starts or skips a node whose incoming edges are all settled. */
function enterNode(scope: Scope, nodeId: string): void {
  const { incoming } = scope.node(nodeId);
  if (incoming.length === 0 || incoming.some((edge) => scope.takes(edge))) startNode(scope, nodeId);
  else scope.update(nodeId, { status: "skipped" });
}

function followEdges(scope: Scope, nodeId: string): void {
  for (const { to } of scope.node(nodeId).outgoing) {
    if (scope.run(to).status !== "pending") continue;
    const { incoming } = scope.node(to);
    if (incoming.every((edge) => isTerminalNodeRun(scope.run(edge.from).status))) enterNode(scope, to);
  }
}

function iterationOver({ scope, forEachId }: { scope: Scope; forEachId: string }): void {
  const { node } = scope.node(forEachId);
  if (node.type === "forEach") advanceForEach(scope, node);
}

/**
 * A graph's own handler waits for a failure. When everything that could fail has ended, the handler is skipped, and the
 * nodes that wait for it at a join continue. True when that happened.
 */
function releaseHandler(scope: Scope): boolean {
  const { rootHandler, behindHandler } = scope.index;
  if (rootHandler === null || scope.run(rootHandler).status !== "pending") return false;
  for (const run of scope.runs()) {
    if (!behindHandler.has(run.nodeId) && !isTerminalNodeRun(run.status)) return false;
  }
  scope.update(rootHandler, { status: "skipped" });
  return true;
}
