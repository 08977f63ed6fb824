import type { ActionNode, Definition, Edge } from "../../schema/contract/workflow.ts";
import type { ExecutionState } from "../../worker/domain/execution-state.ts";
import type { StepDeps } from "../../worker/actors/run/engine/types.ts";
import { createExecution, step } from "../../worker/actors/run/engine/step.ts";
import { medianOf } from "./figures.ts";

/**
 * The pure step after a finished job, in the middle of executions of two sizes. A step reads the whole execution, so
 * its time grows with the execution, but must not grow more than linearly.
 */
export interface StepTime {
  shape: string;
  small: StepFigure;
  large: StepFigure;
}
interface StepFigure {
  nodeRuns: number;
  /** Median of the middle half of the execution's steps. */
  stepMicros: number;
  steps: number;
}

const AT = 1_700_000_000_000;
const SMALL = 10;
/** The largest allowed definition, and the largest forEach. */
const LARGE_GRAPH = 500;
const LARGE_LIST = 1_000;
/** Small executions repeat this often, so that the compiler has seen as many steps as in the large ones. */
const SMALL_REPEATS = 100;
const LARGE_REPEATS = 3;

export function measureStepTime(): StepTime[] {
  const shapes = [
    { shape: "chain", definitionOf: chain, large: LARGE_GRAPH },
    { shape: "fan-out", definitionOf: fanOut, large: LARGE_GRAPH },
    { shape: "forEach, one by one", definitionOf: (size: number) => forEachOver(size, 1), large: LARGE_LIST },
    { shape: "forEach, 100 at once", definitionOf: (size: number) => forEachOver(size, 100), large: LARGE_LIST },
  ];
  return shapes.map(({ shape, definitionOf, large }) => {
    // Each runs once before the measurement, so that its code is compiled.
    measure(definitionOf, SMALL, SMALL_REPEATS);
    measure(definitionOf, large, 1);
    return {
      shape,
      small: measure(definitionOf, SMALL, SMALL_REPEATS),
      large: measure(definitionOf, large, LARGE_REPEATS),
    };
  });
}

function measure(definitionOf: (size: number) => Definition, size: number, repeats: number): StepFigure {
  const micros: number[] = [];
  let nodeRuns = 0;
  for (let i = 0; i < repeats; i += 1) {
    const run = runThrough(definitionOf(size), size);
    nodeRuns = run.nodeRuns;
    const { stepMicros } = run;
    micros.push(...stepMicros.slice(Math.floor(stepMicros.length / 4), Math.ceil((stepMicros.length * 3) / 4)));
  }
  return { nodeRuns, stepMicros: medianOf(micros), steps: micros.length };
}

/** Runs an execution to its end; its jobs end in the order of their start. */
function runThrough(definition: Definition, items: number): { stepMicros: number[]; nodeRuns: number } {
  const deps = benchDeps();
  const initial = createExecution({
    id: "exe",
    workflowId: "wf",
    versionId: "wfv",
    trigger: {
      type: "manual",
      variables: { items: Array.from({ length: items }, (_, i) => `host-${i}`) },
      by: "bench",
    },
    startedAt: AT,
  });
  const open: string[] = [];
  const stepMicros: number[] = [];
  let state = apply(initial, { type: "started" });
  while (state.status === "running") {
    const jobId = open.shift();
    if (jobId === undefined) throw new Error("the execution goes on and has no job");
    const startedAt = Bun.nanoseconds();
    state = apply(state, { type: "jobFinished", report: reportOf(jobId) });
    stepMicros.push((Bun.nanoseconds() - startedAt) / 1_000);
  }
  if (state.status !== "succeeded") throw new Error(`the execution ended ${state.status}`);
  return { stepMicros, nodeRuns: state.nodeRuns.length };

  function apply(before: ExecutionState, event: Parameters<typeof step>[2]): ExecutionState {
    const { state: after, effects } = step(definition, before, event, AT, deps);
    for (const effect of effects) if (effect.type === "enqueueJob") open.push(effect.order.jobId);
    return after;
  }
}

function reportOf(jobId: string) {
  const times = { queuedAt: AT, assignedAt: AT, deliveredAt: AT, startedAt: AT, finishedAt: AT, reportedAt: AT };
  const output = { exitCode: 0, stdout: "done\n", stderr: "" };
  return { jobId, attempt: 1, status: "succeeded", output, error: null, agentId: "agt", times, lost: false } as const;
}

function benchDeps(): StepDeps {
  let ids = 0;
  return {
    newId: (kind) => `${kind}_${(ids += 1)}`,
    publishedBy: null,
    route: () => ({
      name: "web",
      type: "script",
      enabled: true,
      targets: null,
      poolObject: "pool:bench",
      pinnedAgentId: null,
    }),
    child: () => null,
  };
}

function action(id: string, value: string): ActionNode {
  const params = { script: "systemctl restart app", env: { TARGET: value } };
  return { id, type: "action", action: "script.bash", connectionId: "con", params, timeoutSeconds: 300 };
}

/** Each node uses the output of the one before. */
function chain(size: number): Definition {
  const nodes = Array.from({ length: size }, (_, i) =>
    action(`n${i}`, i === 0 ? "first" : `{{nodes.n${i - 1}.output.stdout}}`),
  );
  const edges = nodes.slice(1).map(({ id }, i): Edge => ({ from: `n${i}`, to: id, on: "success" }));
  return { nodes, edges };
}

/** One node, and all others directly after it. */
function fanOut(size: number): Definition {
  const nodes = Array.from({ length: size }, (_, i) =>
    action(`n${i}`, i === 0 ? "first" : "{{nodes.n0.output.stdout}}"),
  );
  return { nodes, edges: nodes.slice(1).map(({ id }): Edge => ({ from: "n0", to: id, on: "success" })) };
}

function forEachOver(_size: number, concurrency: number): Definition {
  const body = { nodes: [action("restart", "{{foreach.item}}")], edges: [] };
  return { nodes: [{ id: "each", type: "forEach", items: "{{inputs.items}}", concurrency, body }], edges: [] };
}
