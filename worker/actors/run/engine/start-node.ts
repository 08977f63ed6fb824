import type { ConditionGroup } from "../../../../schema/contract/condition.ts";
import type { DelayNode } from "../../../../schema/contract/workflow.ts";
import { evaluateConditions } from "../../../domain/condition.ts";
import { TemplateFailure } from "../../../domain/template/failure.ts";
import { startApproval } from "./approval.ts";
import { fail, succeed } from "./end-node.ts";
import { failedBefore, startHandler } from "./error-handler.ts";
import { startForEach } from "./for-each.ts";
import { resolverOf } from "./resolve.ts";
import type { Scope } from "./draft.ts";
import { startAction } from "./start-action.ts";
import { startSubWorkflow } from "./sub-workflow.ts";

/** Begins a node. A template value that does not fit its place fails the node before it begins. */
export function startNode(scope: Scope, nodeId: string): void {
  try {
    begin(scope, nodeId);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    fail(scope, nodeId, { status: "failed", error: error.failure });
  }
}

function begin(scope: Scope, nodeId: string): void {
  const { node, incoming } = scope.node(nodeId);
  switch (node.type) {
    case "action":
      return startAction(scope, node);
    case "condition":
      return decide(scope, nodeId, node.when);
    case "forEach":
      return startForEach(scope, node);
    case "delay":
      return startDelay(scope, node);
    case "approval":
      return startApproval(scope, node);
    case "workflow":
      return startSubWorkflow(scope, node);
    case "errorHandler":
      return startHandler(scope, nodeId, failedBefore(scope, incoming));
  }
}

function decide(scope: Scope, nodeId: string, when: ConditionGroup): void {
  const holds = evaluateConditions(when, resolverOf(scope, nodeId));
  scope.update(nodeId, { timeline: { ...scope.run(nodeId).timeline, startedAt: scope.draft.now } });
  succeed(scope, nodeId, { outcome: holds ? "true" : "false", output: { result: holds } });
}

function startDelay(scope: Scope, node: DelayNode): void {
  const { now } = scope.draft;
  scope.update(node.id, {
    status: "waiting",
    wakeAt: now + node.seconds * 1_000,
    timeline: { ...scope.run(node.id).timeline, startedAt: now },
  });
}
