import type { Failure } from "../../../schema/contract/problem.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { failedView } from "../../domain/failed-execution.ts";
import type { FailedExecution } from "../../domain/failed-execution.ts";
import type { Deps } from "../../services/deps.ts";
import { definitionOf } from "../../services/executions/index.ts";
import { newId } from "../../services/ids.ts";
import { logWarning } from "../../services/log.ts";
import { findNameAndTags } from "../../store/deleted-workflows.ts";
import { failureMessage } from "../../store/errors.ts";
import type { StoredExecution } from "../../store/executions.ts";
import { findFailureWorkflows } from "../../store/started-by-events.ts";
import { forgetFailure, isUnreported } from "../../store/unreported-failures.ts";
import { withTimeout } from "../kit/with-timeout.ts";
import { readOnlyDraft } from "./engine/read-only-draft.ts";
import { unhandledFailure } from "./engine/unhandled-failure.ts";

const START_TIMEOUT_MS = 15_000;

/**
 * Starts the failure workflows of a failed execution, and forgets the failure when all have started. Each workflow has
 * one execution for it (`triggerKey`), so a second or concurrent report starts nothing twice. Never throws: the sweep
 * repeats what remains.
 */
export async function reportFailure(deps: Deps, stored: StoredExecution): Promise<void> {
  const { id } = stored.state;
  try {
    if (!(await isUnreported(deps.db, id))) return;
    await startAll(deps, stored);
    await forgetFailure(deps.db, id);
  } catch (error) {
    logWarning("the failure workflows of an execution could not all be started; they are tried again later", {
      executionId: id,
      error: failureMessage(error),
    });
  }
}

/** A failed start does not hold up the others. */
async function startAll(deps: Deps, stored: StoredExecution): Promise<void> {
  const { id, workflowId: failedId, startedAt, finishedAt } = stored.state;
  const at = finishedAt ?? startedAt;
  const workflow = await findNameAndTags(deps.db, failedId);
  const tags = workflow?.tags ?? [];
  // A failure that is reported late does not start a workflow published after it.
  const found = (await findFailureWorkflows(deps.db, { id: failedId, tags })).filter(
    ({ publishedSince }) => publishedSince <= at,
  );
  if (found.length === 0) return;
  const failed = failedView({
    id,
    key: runKeyOf(stored.state),
    workflow: { id: failedId, name: workflow?.name ?? "", tags },
    error: stored.state.error ?? NO_REASON,
    node: await failedNode(deps, stored.state),
    trigger: stored.state.trigger,
    startedAt,
    endedAt: at,
    url: deps.settings.publicOrigin === null ? null : `${deps.settings.publicOrigin}/executions/${id}`,
  });
  const starts = found.map(({ workflowId, versionId }) => {
    const started = deps.objects.workflowRuns({ workflowId }).start({
      // Minted as of its start, so that lists find it there even when it was reported late.
      executionId: newId("execution", at),
      workflowId,
      versionId,
      trigger: { type: "failure", failed },
      triggerKey: `failed:${id}`,
      webhookKey: null,
      startedAt: at,
      // A person who started the failed run has started this one, too, where an approval asks for another person.
      startedBy: stored.meta.startedBy,
    });
    return withTimeout(START_TIMEOUT_MS, "starting a failure workflow", started);
  });
  const refused = (await Promise.allSettled(starts)).find((outcome) => outcome.status === "rejected");
  if (refused !== undefined) throw refused.reason;
}

const NO_REASON: Failure = { code: "failed", message: "No reason was recorded." };

/** The node of the workflow's own graph whose failure became that of the execution; null when no node had begun. */
async function failedNode(deps: Deps, state: ExecutionState): Promise<FailedExecution["node"]> {
  if (state.nodeRuns.length === 0) return null;
  const { root } = readOnlyDraft(await definitionOf(deps, state.versionId), state);
  const failure = unhandledFailure(root);
  if (failure === null) return null;
  const { id, name = id } = root.node(failure.nodeId).node;
  return { id, name };
}
