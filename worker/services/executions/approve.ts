import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { approveSchema } from "../../../schema/contract/answer-execution.ts";
import type { Definition, Node } from "../../../schema/contract/workflow.ts";
import { graphsOf } from "../../domain/graph/walk.ts";
import type { AnswerRule } from "../../domain/may-answer.ts";
import { findNodeOfRun } from "../../store/execution-reads.ts";
import { toAuditRow } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parseInput } from "../parse.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { definitionOf } from "./version-of.ts";
import { reach } from "../unavailable.ts";
import { excludedFrom, requireAnswerer } from "./answerers.ts";
import { runnableNow } from "./run-snapshot.ts";
import { findStartedExecution } from "./find-started.ts";
import { getExecution } from "./get.ts";
import { requireAncestors } from "./require-ancestors.ts";

/**
 * Answers a node run that waits for approval; 403 for people whom its node excludes, 409 when it no longer waits. The
 * facts behind this check never change, except the caller's role, so `WorkflowRuns` need not repeat it. An approval
 * records what it covers: the current versions and targets.
 */
export async function approveExecution(deps: Deps, by: Principal, id: string, input: unknown): Promise<ExecutionView> {
  const { nodeRunId, decision, comment } = parseInput(approveSchema, input);
  const row = await findStartedExecution(deps, id);
  const { workflowId } = row;
  const definition = await definitionOf(deps, row.versionId);
  const node = await nodeOfRun(deps, id, nodeRunId, definition);
  if (node.type !== "approval" && node.type !== "action") throw notWaiting();
  // Everyone with the permission may answer for an action that waits because of a limit.
  const rule: AnswerRule = node.type === "approval" ? node : {};
  if (rule.by !== undefined) await requireAncestors(deps, id);
  const runnable = await runnableNow(deps, row);
  await requireAnswerer(deps, rule, by, () => excludedFrom(deps, row, runnable));
  const audit = toAuditRow(deps, {
    actor: by.actor,
    verb: decision === "approved" ? "approve" : "reject",
    subjectType: "execution",
    subjectId: id,
    detail: { workflowId, nodeRunId, ...(comment === undefined ? {} : { comment }) },
  });
  const answer = { nodeRunId, decision, by: by.actor, comment: comment ?? null, approved: runnable.snapshot };
  const result = await reach("Your answer could not be given to the execution.", () =>
    deps.objects.workflowRuns({ workflowId }).decide(id, answer, audit),
  );
  if (result === null) throw notFound("execution", id);
  if (result === "notWaiting") throw notWaiting();
  return getExecution(deps, id);
}

async function nodeOfRun(deps: Deps, executionId: string, nodeRunId: string, definition: Definition): Promise<Node> {
  const nodeId = await findNodeOfRun(deps.db, executionId, nodeRunId);
  const nodes = graphsOf(definition).flatMap(({ graph }) => graph.nodes);
  const node = nodes.find((one) => one.id === nodeId);
  if (node === undefined) throw notFound("node run", nodeRunId);
  return node;
}

function notWaiting(): ProblemError {
  return new ProblemError(
    "conflict",
    "This step does not wait for approval: it was answered, its run has ended, or it never asked. Check the execution.",
  );
}
