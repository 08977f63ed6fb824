import type { ConditionGroup } from "../../../schema/contract/condition.ts";
import type { DelayNode } from "../../../schema/contract/workflow.ts";
import { evaluateConditions } from "../condition.ts";
import type { Draft } from "./draft.ts";
import { fail, succeed } from "./end-node.ts";
import { failedBefore, startHandler } from "./error-handler.ts";
import { resolverOf } from "./resolve.ts";
import { startAction } from "./start-action.ts";

/** Begins a node whose turn it is. What each type does stands here, one line a type. */
export function startNode(draft: Draft, nodeId: string): void {
  const { node, incoming } = draft.node(nodeId);
  switch (node.type) {
    case "action":
      return startAction(draft, node);
    case "condition":
      return decide(draft, nodeId, node.when);
    case "delay":
      return startDelay(draft, node);
    case "errorHandler":
      return startHandler(draft, nodeId, failedBefore(draft, incoming));
    case "forEach":
    case "approval":
    case "workflow":
      return refuse(
        draft,
        nodeId,
        `Nodes of type ${node.type} are not available yet. Remove the node and publish again.`,
      );
  }
}

function decide(draft: Draft, nodeId: string, when: ConditionGroup): void {
  const holds = evaluateConditions(when, resolverOf(draft, nodeId));
  begin(draft, nodeId);
  succeed(draft, nodeId, { outcome: holds ? "true" : "false", output: { result: holds } });
}

function startDelay(draft: Draft, node: DelayNode): void {
  begin(draft, node.id);
  draft.update(node.id, { status: "waiting", wakeAt: draft.now + node.seconds * 1_000 });
}

/** Saving refuses such a node, so only a definition that was stored in another way gets here. */
function refuse(draft: Draft, nodeId: string, message: string): void {
  fail(draft, nodeId, { status: "failed", error: { code: "not_available", message } });
}

function begin(draft: Draft, nodeId: string): void {
  draft.update(nodeId, { timeline: { ...draft.run(nodeId).timeline, startedAt: draft.now } });
}
