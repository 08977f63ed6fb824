import { timelineOf } from "../../console/views/executions/timeline/rows.ts";
import type { IsOpen } from "../../console/views/executions/timeline/rows.ts";
import type { ExecutionView, NodeRunView } from "../../schema/contract/execution.ts";
import type { Definition, Node } from "../../schema/contract/workflow.ts";

export const START_MS = Date.UTC(2026, 0, 2, 3, 4, 0);
const second = (count: number) => new Date(START_MS + count * 1_000).toISOString();

interface Times {
  queued?: number;
  started?: number;
  finished?: number;
  reported?: number;
}

/** A node run by the seconds of its stages after the start. */
export function run(nodeId: string, status: NodeRunView["status"], times: Times = {}, more: Partial<NodeRunView> = {}) {
  const at = (count: number | undefined) => (count === undefined ? null : second(count));
  return {
    id: `${nodeId}${(more.iteration ?? []).map((index) => `#${index}`).join("")}`,
    nodeId,
    status,
    outcome: status === "succeeded" ? ("success" as const) : status === "failed" ? ("failure" as const) : null,
    attempt: 1,
    jobId: null,
    childExecutionId: null,
    output: null,
    error: null,
    waitingFor: null,
    waiting: null,
    timeline: {
      queuedAt: at(times.queued),
      assignedAt: null,
      deliveredAt: null,
      startedAt: at(times.started),
      finishedAt: at(times.finished),
      reportedAt: at(times.reported),
    },
    ...more,
  } satisfies NodeRunView;
}

export function done(nodeId: string, from: number, to: number, more: Partial<NodeRunView> = {}) {
  return run(nodeId, "succeeded", { queued: from, started: from, finished: to }, more);
}

export const action = (id: string): Node => ({
  id,
  type: "action",
  action: "script.bash",
  params: { script: "true" },
  timeoutSeconds: 60,
});
export const edges = (...pairs: string[]): Definition["edges"] =>
  pairs.map((pair) => {
    const [from = "", to = "", on = "success"] = pair.split(" ");
    return { from, to, on: on as "success" };
  });
export const condition = (id: string): Node =>
  ({ id, type: "condition", when: { logic: "all", conditions: [] } }) as Node;
export const loop = (id: string, nodes: Node[], within: Definition["edges"] = []): Node => ({
  id,
  type: "forEach",
  items: "{{inputs.hosts}}",
  body: { nodes, edges: within },
});

export function execution(nodeRuns: NodeRunView[], more: Partial<ExecutionView> = {}): ExecutionView {
  return {
    id: "exe_1",
    workflowId: "wf_1",
    versionId: "wfv_1",
    status: "succeeded",
    trigger: { type: "manual", variables: {}, by: null },
    startedAt: second(0),
    finishedAt: second(100),
    error: null,
    revision: 1,
    retryOf: null,
    parentExecutionId: null,
    nodeRuns,
    ...more,
  };
}

/** The timeline 100 seconds after the start, with all rows by default. */
export const timeline = (of: ExecutionView, definition: Definition, isOpen: IsOpen = () => true) =>
  timelineOf(of, definition, START_MS + 100_000, isOpen);
