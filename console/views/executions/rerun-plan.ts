import "../../api/zod-config.ts";
import { effectOf } from "../../../schema/contract/action.ts";
import type { ExecutionView, NodeRunView, Timeline } from "../../../schema/contract/execution.ts";
import type { Definition, Node } from "../../../schema/contract/workflow.ts";
import { keptRuns } from "../../../worker/actors/run/engine/keep-runs.ts";
import type { ExecutionState, NodeRun } from "../../../worker/domain/execution-state.ts";
import type { JobTimes } from "../../../worker/domain/job-order.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { allNodes } from "./iterations.ts";
import { executions as text } from "../../strings/en/executions.ts";

export interface RerunPlan {
  /** Names of the nodes outside any forEach that run again, and of those whose results are kept. */
  again: string[];
  kept: string[];
  /** Unsafe actions that run a second time: an agent had received them before. */
  unsafeAgain: string[];
}

/** The nodes that a retry runs again, by the engine's rule. */
export function rerunPlan(definition: Definition, execution: ExecutionView, from: "failed" | "start"): RerunPlan {
  const keptIds = new Set<string>();
  if (from === "failed") {
    keptRuns(definition, stateOf(execution), ({ id }) => {
      keptIds.add(id);
      return id;
    });
  }
  const nodes = new Map(allNodes(definition).map((node) => [node.id, node]));
  const again = execution.nodeRuns.filter(({ id }) => !keptIds.has(id));
  const runsAgain = new Set(again.flatMap(({ nodeId, iteration }) => (iteration === undefined ? [nodeId] : [])));
  return {
    again: definition.nodes.filter(({ id }) => runsAgain.has(id)).map(nodeTitle),
    kept: definition.nodes.filter(({ id }) => !runsAgain.has(id)).map(nodeTitle),
    unsafeAgain: unsafeNodes(again, nodes),
  };
}

/** The names of unsafe actions, each with the number of its runs when there are several. */
function unsafeNodes(runs: readonly NodeRunView[], nodes: ReadonlyMap<string, Node>): string[] {
  const counts = new Map<string, number>();
  for (const { nodeId, timeline } of runs) {
    const node = nodes.get(nodeId);
    const hadBegun = timeline.deliveredAt !== null || timeline.startedAt !== null;
    if (node?.type !== "action" || !hadBegun || effectOf(node.action, node.params) !== "unsafe") continue;
    counts.set(nodeTitle(node), (counts.get(nodeTitle(node)) ?? 0) + 1);
  }
  return [...counts].map(([title, count]) => text.retry.times(title, count));
}

function stateOf(execution: ExecutionView): ExecutionState {
  return {
    id: execution.id,
    workflowId: execution.workflowId,
    versionId: execution.versionId,
    status: execution.status,
    revision: execution.revision,
    trigger: execution.trigger,
    depth: 0,
    startedAt: Date.parse(execution.startedAt),
    begunAt: Date.parse(execution.startedAt),
    finishedAt: execution.finishedAt === null ? null : Date.parse(execution.finishedAt),
    error: execution.error,
    approved: null,
    wakeAt: null,
    hold: null,
    concurrencyKey: null,
    limits: null,
    suppressed: null,
    supersededBy: null,
    nodeRuns: execution.nodeRuns.map(({ iteration = [], timeline, warnings = null, ...run }): NodeRun => ({
      ...run,
      warnings,
      path: iteration,
      revision: execution.revision,
      wakeAt: null,
      timeline: timesOf(timeline),
    })),
  };
}

function timesOf(timeline: Timeline): JobTimes {
  const at = (instant: string | null) => (instant === null ? null : Date.parse(instant));
  return {
    queuedAt: at(timeline.queuedAt),
    assignedAt: at(timeline.assignedAt),
    deliveredAt: at(timeline.deliveredAt),
    startedAt: at(timeline.startedAt),
    finishedAt: at(timeline.finishedAt),
    reportedAt: at(timeline.reportedAt),
  };
}
