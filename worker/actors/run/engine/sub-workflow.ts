import { jsonObjectSchema } from "../../../../schema/contract/json.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import { isJsonObject } from "../../../../schema/contract/json-object.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { WorkflowNode } from "../../../../schema/contract/workflow.ts";
import { RENDERED_JOB_MAX_BYTES, WORKFLOW_MAX_DEPTH } from "../../../../schema/limits.ts";
import type { ChildReport, NodeRun } from "../../../domain/execution-state.ts";
import { jsonBytes } from "../../../domain/json-bytes.ts";
import { renderData } from "../../../domain/render-data.ts";
import { renewed } from "./approval.ts";
import type { Draft, Scope } from "./draft.ts";
import { fail, succeed } from "./end-node.ts";
import { codeAbove } from "./limits.ts";
import { outputTooLarge } from "./output-limits.ts";
import { resolverOf } from "./resolve.ts";
import type { ChildOrder } from "./types.ts";

/** The shortest and longest pause before a parent checks its child, in case a report about the child was lost. */
const LOOK_MIN_MS = 60_000;
const LOOK_MAX_MS = 60 * 60_000;

/** Starts another workflow's published version, and waits for its end. */
export function startSubWorkflow(scope: Scope, node: WorkflowNode): void {
  if (scope.draft.isFull) return scope.draft.postpone(scope, node.id);
  const order = makeOrder(scope, node);
  if ("code" in order) return fail(scope, node.id, { status: "failed", error: order });
  const { now, effects } = scope.draft;
  effects.push({ type: "startChild", order });
  const { executionId, versionId, variables } = order;
  scope.update(node.id, {
    status: "running",
    childExecutionId: executionId,
    // The order is kept in the output, so that the start can be repeated.
    output: { executionId, versionId, variables, startedAt: now },
    wakeAt: now + LOOK_MIN_MS,
    timeline: { ...scope.run(node.id).timeline, startedAt: now },
  });
}

/** Orders the start again: an execution that was started answers with its status, and reports its end again. */
export function lookForChild(scope: Scope, node: WorkflowNode): void {
  const run = scope.run(node.id);
  const order = orderOf(node, run);
  if (order !== null) scope.draft.effects.push({ type: "startChild", order });
  const { now } = scope.draft;
  const age = now - (run.timeline.startedAt ?? now);
  scope.update(node.id, { wakeAt: now + Math.min(Math.max(age, LOOK_MIN_MS), LOOK_MAX_MS) });
}

/** The order with which a running node run was started; null when it has none. */
export function orderOf(node: WorkflowNode, run: NodeRun): ChildOrder | null {
  const { id: nodeRunId, childExecutionId, output } = run;
  if (childExecutionId === null || run.status !== "running" || !isJsonObject(output)) return null;
  const { versionId, variables, startedAt } = output;
  if (typeof versionId !== "string" || typeof startedAt !== "number" || !isJsonObject(variables)) return null;
  return { executionId: childExecutionId, workflowId: node.workflowId, versionId, variables, nodeRunId, startedAt };
}

/** Ends the node that waits for a sub-workflow. A report about another sub-workflow changes nothing. */
export function finishChild(draft: Draft, report: ChildReport): void {
  for (const run of draft.runs) {
    if (run.id !== report.nodeRunId || run.childExecutionId !== report.childExecutionId) continue;
    if (run.status !== "running") return;
    const scope = draft.scopeOf(run);
    const { childExecutionId, status, outputs, error, approved } = report;
    // An approval given in the sub-workflow holds for the nodes after it here, unless it is older than one given here.
    if (approved !== null && approved.at > (draft.approved?.at ?? 0))
      draft.approved = renewed(draft.approved, approved);
    const output = { executionId: childExecutionId, status, outputs };
    const tooLarge = outputTooLarge(draft, output);
    if (tooLarge !== null) return fail(scope, run.nodeId, { status: "failed", error: tooLarge });
    if (status === "succeeded") return succeed(scope, run.nodeId, { output });
    return fail(scope, run.nodeId, {
      status: status === "cancelled" ? "cancelled" : "failed",
      output,
      error: {
        code: status === "cancelled" ? "workflow_cancelled" : codeAbove([error], "workflow_failed"),
        message:
          `The sub-workflow ${status === "cancelled" ? "was cancelled" : "failed"}: ${error?.message ?? "no reason given"}`.slice(
            0,
            16_384,
          ),
      },
    });
  }
}

function makeOrder(scope: Scope, { id, workflowId, variables: written = {} }: WorkflowNode): ChildOrder | Failure {
  const { before, deps, now } = scope.draft;
  if (before.depth + 1 >= WORKFLOW_MAX_DEPTH) {
    return {
      code: "too_deep",
      message: `Workflows call each other at most ${WORKFLOW_MAX_DEPTH} levels deep, and this workflow is at the last level. Remove a level.`,
    };
  }
  const target = deps.child(workflowId);
  if (target === null) {
    return {
      code: "workflow_not_published",
      message: `There is no published workflow ${workflowId}. Publish it, or choose another one, and run this again.`,
    };
  }
  const { approved } = scope.draft;
  if (approved !== null && approved.versions[workflowId] !== target.versionId) {
    return {
      code: "approval_outdated",
      message: `The workflow ${workflowId} was published after the approval. Run this again from its start, so that the published version is approved.`,
    };
  }
  const resolve = resolverOf(scope, id);
  const rendered = Object.fromEntries(
    Object.entries(written).map(([name, value]): [string, JsonValue] => [name, renderData(value, resolve)]),
  );
  const given = target.resolve(rendered);
  if (!given.ok)
    return { code: "invalid_variables", message: `The variables do not fit the workflow: ${given.problem}.` };
  const variables = jsonObjectSchema.parse(given.variables);
  const bytes = jsonBytes(variables);
  if (bytes > RENDERED_JOB_MAX_BYTES) {
    return {
      code: "variables_too_large",
      message: `The variables have ${bytes} bytes, and a workflow takes at most ${RENDERED_JOB_MAX_BYTES}. Pass less data.`,
    };
  }
  scope.draft.renderedBytes += bytes;
  const executionId = deps.newId("execution");
  return {
    executionId,
    workflowId,
    versionId: target.versionId,
    variables,
    nodeRunId: scope.run(id).id,
    startedAt: now,
  };
}
