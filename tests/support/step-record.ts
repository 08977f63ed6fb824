import { createExecution } from "../../worker/actors/run/engine/step.ts";
import type { NodeRun } from "../../worker/domain/execution-state.ts";
import type { StepRecord } from "../../worker/store/step-record.ts";

/** A step for `saveStep` that changes the node runs of an execution from `former` to `nodeRuns`. */
export function stepRecord(id: string, revision = 0, nodeRuns: NodeRun[] = [], former: NodeRun[] = []): StepRecord {
  const trigger = { type: "manual" as const, variables: {}, by: "test" };
  const initial = createExecution({ id, workflowId: "wf_1", versionId: "wfv_1", trigger, startedAt: 1 });
  return {
    before: revision === 0 ? null : { ...initial, revision: revision - 1, nodeRuns: former },
    after: { ...initial, revision, nodeRuns },
    meta: { triggerKey: id, webhookKey: null, parent: null, retryOf: null, startedBy: [] },
    eventType: "started",
    at: 1,
    orders: [],
    endedJob: null,
    cancelledJobIds: [],
  };
}
