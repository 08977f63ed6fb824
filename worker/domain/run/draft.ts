import { isTerminalNodeRun } from "../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { earliest } from "../earliest.ts";
import type { ExecutionState, JobTimes, NodeRun, RunEffect, StepDeps } from "../run-types.ts";
import { indexOf } from "./graph-index.ts";
import type { GraphIndex, IndexedNode } from "./graph-index.ts";

const NO_TIMES: JobTimes = {
  queuedAt: null,
  assignedAt: null,
  deliveredAt: null,
  startedAt: null,
  finishedAt: null,
  reportedAt: null,
};

/**
 * A step in the making. It holds the only things that change while one is worked out; what came in stays as it was, and
 * a node run that did not change stays the same object.
 */
export class Draft {
  readonly index: GraphIndex;
  readonly effects: RunEffect[] = [];
  /** Nodes that ended and whose edges are not settled yet, in the order in which they ended. */
  readonly ended: string[] = [];
  status: ExecutionStatus;
  error: Failure | null;
  changed = false;
  readonly #runs: Map<string, NodeRun>;

  constructor(
    definition: Definition,
    readonly before: ExecutionState,
    readonly now: number,
    readonly deps: StepDeps,
  ) {
    this.index = indexOf(definition);
    this.status = before.status;
    this.error = before.error;
    this.#runs = new Map(before.nodeRuns.filter((run) => run.path.length === 0).map((run) => [run.nodeId, run]));
  }

  get runs(): Iterable<NodeRun> {
    return this.#runs.values();
  }

  node(nodeId: string): IndexedNode {
    const node = this.index.nodes.get(nodeId);
    if (node === undefined) throw new Error(`node ${nodeId} is not in this definition`);
    return node;
  }

  run(nodeId: string): NodeRun {
    const run = this.#runs.get(nodeId);
    if (run === undefined) throw new Error(`node ${nodeId} has no run`);
    return run;
  }

  /** Gives every node its run, `pending`: from the first step on, an execution shows all of its nodes. */
  addRuns(): void {
    for (const nodeId of this.index.nodes.keys()) {
      if (this.#runs.has(nodeId)) continue;
      this.#runs.set(nodeId, {
        id: this.deps.newId("nodeRun"),
        nodeId,
        path: [],
        status: "pending",
        outcome: null,
        attempt: 1,
        jobId: null,
        output: null,
        error: null,
        wakeAt: null,
        timeline: NO_TIMES,
      });
    }
    this.changed = true;
  }

  update(nodeId: string, change: Partial<Omit<NodeRun, "id" | "nodeId" | "path">>): void {
    const next = { ...this.run(nodeId), ...change };
    this.#runs.set(nodeId, next);
    this.changed = true;
    if (isTerminalNodeRun(next.status)) this.ended.push(nodeId);
  }

  finish(): { state: ExecutionState; effects: RunEffect[] } {
    if (!this.changed) return { state: this.before, effects: [] };
    const nodeRuns = [...this.#runs.values()];
    const running = this.status === "running";
    if (!running) this.effects.push({ type: "executionEnded", status: this.status });
    return {
      state: {
        ...this.before,
        status: this.status,
        error: this.error,
        revision: this.before.revision + 1,
        finishedAt: running ? null : this.now,
        wakeAt: running ? earliest(nodeRuns.map((run) => run.wakeAt)) : null,
        nodeRuns,
      },
      effects: this.effects,
    };
  }
}
