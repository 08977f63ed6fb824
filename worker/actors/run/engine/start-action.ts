import { ACTIONS, effectOf, runsOn, secretsFromOf } from "../../../../schema/contract/action.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { ActionNode } from "../../../../schema/contract/workflow.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../../../schema/limits.ts";
import { connectionsNamedBy } from "../../../domain/graph/walk.ts";
import { NO_TIMES } from "../../../domain/job-order.ts";
import type { JobOrder } from "../../../domain/job-order.ts";
import { jsonBytes } from "../../../domain/json-bytes.ts";
import { isLimited } from "../../../domain/limit/is-limited.ts";
import { renderParams } from "../../../domain/render-params.ts";
import { renderTarget } from "../../../domain/render-target.ts";
import type { PlacedConnection, RenderedTarget } from "../../../domain/render-target.ts";
import { hideSensitive } from "../../../domain/sensitive.ts";
import type { Draft, Scope } from "./draft.ts";
import { fail } from "./end-node.ts";
import { isWithinLimits } from "./limits.ts";
import { resolverOf } from "./resolve.ts";

/**
 * Makes the job of an action's present attempt, or fails the node. An error in the connection or the parameters would
 * only repeat itself, so no retry follows.
 */
export function startAction(scope: Scope, node: ActionNode): void {
  const { draft } = scope;
  if (draft.isFull) return draft.postpone(scope, node.id);
  const order = makeOrder(scope, node);
  if ("code" in order) {
    if (order.code === "target_not_allowed") draft.kept.push("targetRefused:service");
    return fail(scope, node.id, { status: "failed", error: order });
  }
  if (isLimited(node.action, order.effect) && !isWithinLimits(scope, node)) return;
  draft.effects.push({ type: "enqueueJob", order });
  scope.update(node.id, {
    status: "running",
    jobId: order.jobId,
    error: null,
    wakeAt: null,
    timeline: { ...NO_TIMES, queuedAt: draft.now },
  });
}

function makeOrder(scope: Scope, node: ActionNode): JobOrder | Failure {
  const { draft } = scope;
  const place = findPlace(node, draft);
  if ("code" in place) return place;
  const unusable = secretsProblem(node, draft);
  if (unusable !== null) return unusable;
  const resolve = resolverOf(scope, node.id);
  const { connection, ...route } = place;
  const rendered = renderTarget(node, connection, resolve, (written, text) =>
    String(hideSensitive(draft.before.trigger, written, text)),
  );
  if (!rendered.ok) return rendered.failure;
  const input = renderParams(node.action, node.params, resolve);
  if (!input.ok) return input.failure;
  const { params, values, features } = input;
  const bytes = jsonBytes(params) + jsonBytes(values);
  if (bytes > RENDERED_JOB_MAX_BYTES) return jobTooLarge(bytes);
  draft.renderedBytes += bytes;
  const run = scope.run(node.id);
  const jobId = draft.deps.newId("job");
  const traceparent = draft.deps.traceparent?.(jobId);
  return {
    jobId,
    attempt: run.attempt,
    kind: "action",
    executionId: draft.before.id,
    workflowId: draft.before.workflowId,
    onBehalfOf: draft.deps.publishedBy,
    nodeRunId: run.id,
    action: node.action,
    effect: effectOf(node.action, params),
    ...route,
    ...targetOf(rendered),
    ...(features.length === 0 ? {} : { features }),
    params,
    values,
    timeoutSeconds: node.timeoutSeconds,
    queueTimeoutSeconds: node.queueTimeoutSeconds ?? null,
    onAgentLost: node.onAgentLost ?? null,
    queuedAt: draft.now,
    ...approvedTargets(node, draft),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

function targetOf({ target, shown }: Extract<RenderedTarget, { ok: true }>): Pick<JobOrder, "target" | "shownTarget"> {
  if (target === null || shown === null) return {};
  return shown === target ? { target } : { target, shownTarget: shown };
}

/** Empty for a connection that did not exist at the approval: it matches no present target. */
function approvedTargets(node: ActionNode, { approved }: Draft): Pick<JobOrder, "approvedTargets"> {
  if (approved === null) return {};
  const targets = connectionsNamedBy(node).map((id): [string, string] => [id, approved.targets[id] ?? ""]);
  return { approvedTargets: Object.fromEntries(targets) };
}

interface Place {
  readonly connectionId: string | null;
  readonly poolObject: string;
  readonly pinnedAgentId: string | null;
  /** Null for a notification without a connection. */
  readonly connection: PlacedConnection | null;
}

/** A disabled connection fails the node (docs/design/connections.md#edits). */
function findPlace({ action, connectionId }: ActionNode, { deps, before }: Draft): Place | Failure {
  const isNotification = ACTIONS[action].connectionType === "notification";
  if (isNotification && connectionId === undefined) return notifier(before.workflowId, null);
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
      message: `The connection "${route.name}" is disabled. Enable it and run the workflow again.`,
    };
  }
  if (!runsOn(action, route.type)) {
    return {
      code: "connection_type_mismatch",
      message: `${action} does not run on a connection of type ${route.type}. Choose another one in the workflow and publish again.`,
    };
  }
  if (isNotification) return notifier(before.workflowId, { connectionId, route });
  if (route.poolObject === null) {
    return {
      code: "connection_unassigned",
      message: `The connection "${route.name}" has neither an agent nor a pool. Assign one and run the workflow again.`,
    };
  }
  const { poolObject, pinnedAgentId } = route;
  return { connectionId, poolObject, pinnedAgentId, connection: route };
}

/** Checks the connection in `secretsFrom` as strictly as the job's own. */
function secretsProblem({ action, params }: ActionNode, { deps }: Draft): Failure | null {
  const id = secretsFromOf(action, params);
  if (id === null) return null;
  const route = deps.route(id);
  if (route !== null && route.enabled && route.type === "custom") return null;
  const why = route === null ? "does not exist" : route.enabled ? `is of type ${route.type}` : "is disabled";
  return {
    code: "secrets_unavailable",
    message: `The connection ${id} in secretsFrom ${why}. Enable it, or name another custom connection there and publish again.`,
  };
}

/** The service sends notifications itself, without agent or pool (docs/design/connections.md#notifications). */
function notifier(workflowId: string, of: { connectionId: string; route: PlacedConnection } | null): Place {
  const connection = of === null ? null : { name: of.route.name, targets: null };
  return {
    connectionId: of?.connectionId ?? null,
    poolObject: `notifier:${workflowId}`,
    pinnedAgentId: null,
    connection,
  };
}

function jobTooLarge(bytes: number): Failure {
  return {
    code: "job_too_large",
    message: `With its values filled in, the job has ${bytes} bytes, and a job holds at most ${RENDERED_JOB_MAX_BYTES}. Pass less data, or let the action fetch it.`,
  };
}
