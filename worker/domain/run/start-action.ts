import { effectOf, runsOn } from "../../../schema/contract/action.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { ActionNode } from "../../../schema/contract/workflow.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../../schema/limits.ts";
import { jsonBytes } from "../json-bytes.ts";
import { renderParams } from "../render-params.ts";
import type { JobOrder, StepDeps } from "../run-types.ts";
import type { Draft } from "./draft.ts";
import { fail } from "./end-node.ts";
import { resolverOf } from "./resolve.ts";

/**
 * Makes the job of an action's present attempt, or ends the node at once: what is wrong with a connection or with
 * parameters would be wrong again, so no retry follows.
 */
export function startAction(draft: Draft, node: ActionNode): void {
  const order = makeOrder(draft, node);
  if ("code" in order) return fail(draft, node.id, { status: "failed", error: order });
  draft.effects.push({ type: "enqueueJob", order });
  draft.update(node.id, {
    status: "running",
    jobId: order.jobId,
    error: null,
    wakeAt: null,
    timeline: {
      queuedAt: draft.now,
      assignedAt: null,
      deliveredAt: null,
      startedAt: null,
      finishedAt: null,
      reportedAt: null,
    },
  });
}

function makeOrder(draft: Draft, node: ActionNode): JobOrder | Failure {
  const target = findTarget(node, draft.deps);
  if ("code" in target) return target;
  const input = renderParams(node.action, node.params, resolverOf(draft, node.id));
  if (!input.ok) return input.failure;
  const { params, values } = input;
  const bytes = jsonBytes(params) + jsonBytes(values);
  if (bytes > RENDERED_JOB_MAX_BYTES) return jobTooLarge(bytes);
  const run = draft.run(node.id);
  return {
    jobId: draft.deps.newId("job"),
    attempt: run.attempt,
    kind: "action",
    executionId: draft.before.id,
    workflowId: draft.before.workflowId,
    nodeRunId: run.id,
    action: node.action,
    effect: effectOf(node.action, params),
    connectionId: target.connectionId,
    poolObject: target.poolObject,
    pinnedAgentId: target.pinnedAgentId,
    params,
    values,
    timeoutSeconds: node.timeoutSeconds,
    queueTimeoutSeconds: node.queueTimeoutSeconds ?? null,
    onAgentLost: node.onAgentLost ?? null,
    queuedAt: draft.now,
  };
}

interface Target {
  readonly connectionId: string;
  readonly poolObject: string;
  readonly pinnedAgentId: string | null;
}

/** "A workflow using a disabled connection fails at execution time" (specification, "Errors"). */
function findTarget({ action, connectionId }: ActionNode, deps: StepDeps): Target | Failure {
  if (connectionId === undefined) {
    return {
      code: "connection_not_found",
      message: `${action} has no connection. Choose one in the workflow and publish again.`,
    };
  }
  const route = deps.route(connectionId);
  if (route === null) {
    return {
      code: "connection_not_found",
      message: `The connection ${connectionId} does not exist. Choose another one in the workflow and publish again.`,
    };
  }
  if (!route.enabled) {
    return {
      code: "connection_disabled",
      message: `The connection ${connectionId} is disabled. Enable it and run the workflow again.`,
    };
  }
  if (!runsOn(action, route.type)) {
    return {
      code: "connection_type_mismatch",
      message: `${action} does not run on a connection of type ${route.type}. Choose another one in the workflow and publish again.`,
    };
  }
  if (route.poolObject === null) {
    return {
      code: "connection_unassigned",
      message: `The connection ${connectionId} has neither an agent nor a pool. Assign one and run the workflow again.`,
    };
  }
  return { connectionId, poolObject: route.poolObject, pinnedAgentId: route.pinnedAgentId };
}

function jobTooLarge(bytes: number): Failure {
  return {
    code: "job_too_large",
    message: `With its values filled in, the job has ${bytes} bytes, and a job holds at most ${RENDERED_JOB_MAX_BYTES}. Pass less, or let the action fetch it.`,
  };
}
