import { expect, test } from "bun:test";
import fc from "fast-check";
import { isTerminalNodeRun } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Definition, Graph } from "../../schema/contract/workflow.ts";
import type { NodeRun } from "../../worker/domain/execution-state.ts";
import type { RunEvent } from "../../worker/actors/run/engine/types.ts";
import { Engine, action, define, problemsOf } from "./engine.ts";

/** Random workflows with nested forEach, approvals and sub-workflows, and random events for them. */
type Shape = { kind: string; items: number; room: number; rules: JsonObject; body: Shape[]; chained: boolean };

const { shape } = fc.letrec<{ shape: Shape; leaf: Shape; loop: Shape }>((tie) => ({
  shape: fc.oneof({ depthSize: "small", maxDepth: 3 }, tie("leaf"), tie("loop")),
  leaf: fc.record({
    kind: fc.constantFrom("action", "action", "retried", "delay", "approval", "workflow", "condition", "handler"),
    items: fc.constant(0),
    room: fc.constant(1),
    rules: fc.constant({}),
    body: fc.constant([]),
    chained: fc.boolean(),
  }),
  loop: fc.record({
    kind: fc.constant("forEach"),
    items: fc.integer({ min: 0, max: 4 }),
    room: fc.integer({ min: 1, max: 3 }),
    rules: fc.constantFrom<JsonObject>(
      {},
      { continueOnError: true },
      { batchSize: 3, pauseSeconds: 5 },
      { batchSize: 3, maxFailures: "50%" },
    ),
    body: fc.array(tie("shape"), { minLength: 1, maxLength: 3 }),
    chained: fc.boolean(),
  }),
}));
const definition = fc.array(shape, { minLength: 1, maxLength: 4 }).map((shapes) => {
  const { nodes, edges } = toGraph(shapes, { next: 0 });
  return define(nodes, edges);
});
const happening = fc.record({
  which: fc.nat(),
  good: fc.boolean(),
  afterMs: fc.integer({ min: 0, max: 40_000 }),
});

test("after any events in any order, an execution ends, runs no job twice, and keeps its concurrency limits", () => {
  fc.assert(
    fc.property(definition, fc.array(happening, { maxLength: 80 }), (graph, happenings) => {
      expect(problemsOf(graph)).toEqual([]);
      const drive = new Drive(graph);
      for (const one of happenings) drive.happen(one);
      drive.finish();
      const { state, orders, effects } = drive.engine;
      expect(state.status).not.toBe("running");
      for (const run of state.nodeRuns) expect(isTerminalNodeRun(run.status)).toBe(true);
      expect(new Set(orders.map(({ nodeRunId, attempt }) => `${nodeRunId} ${attempt}`)).size).toBe(orders.length);
      expect(effects.filter(({ type }) => type === "executionEnded")).toHaveLength(1);
      expect(state.nodeRuns.some(({ status }) => status === "cancelled")).toBe(false);
      drive.checkResults();
    }),
    { numRuns: 400 },
  );
});

test("an execution cancelled at any moment cancels every open job and sub-workflow, and ends in that step", () => {
  fc.assert(
    fc.property(definition, fc.array(happening, { maxLength: 30 }), (graph, happenings) => {
      const drive = new Drive(graph);
      for (const one of happenings) drive.happen(one);
      const { engine } = drive;
      if (engine.state.status !== "running") return;
      const open = engine.state.nodeRuns.filter(({ status }) => status === "running");
      const effects = engine.apply({ type: "cancelled", by: "ann" });
      const jobs = open.flatMap(({ jobId }) => (jobId === null ? [] : [jobId]));
      const children = open.flatMap(({ childExecutionId: id }) => (id === null ? [] : [id]));
      expect(effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : [])).sort()).toEqual(
        jobs.sort(),
      );
      expect(effects.flatMap((effect) => (effect.type === "cancelChild" ? [effect.executionId] : [])).sort()).toEqual(
        children.sort(),
      );
      expect(engine.state).toMatchObject({ status: "cancelled" });
      // Only for sub-workflows, whose cancel is sent again.
      expect(engine.state.wakeAt === null).toBe(children.length === 0);
      for (const run of engine.state.nodeRuns) expect(isTerminalNodeRun(run.status)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

class Drive {
  readonly engine: Engine;
  readonly #loops = new Map<string, { room: number; body: Graph }>();

  constructor(graph: Definition) {
    collectLoops(graph, this.#loops);
    this.engine = new Engine(graph);
    this.#apply({ type: "started" });
  }

  happen({ which, good, afterMs }: { which: number; good: boolean; afterMs: number }): void {
    this.engine.now += afterMs;
    const open = this.engine.state.nodeRuns.filter(isOpen);
    const run = open[which % Math.max(1, open.length)];
    if (run !== undefined) this.#move(run, good);
  }

  /** Ends everything that is open, until nothing is. */
  finish(): void {
    for (let round = 0; this.engine.state.status === "running"; round += 1) {
      if (round > 5_000) throw new Error("the execution does not end");
      const run = this.engine.state.nodeRuns.find(isOpen);
      if (run === undefined) throw new Error("the execution runs without an open node run");
      this.#move(run, true);
    }
  }

  checkResults(): void {
    for (const run of this.engine.state.nodeRuns) {
      if (!this.#loops.has(run.nodeId) || run.status !== "succeeded") continue;
      const { output } = run;
      if (typeof output !== "object" || output === null || !("results" in output))
        throw new Error("the output has no results");
      const { results, total } = output;
      if (!Array.isArray(results)) throw new Error("the results are not a list");
      expect(
        results.map((one) => (typeof one === "object" && one !== null && "index" in one ? one["index"] : -1)),
      ).toEqual(Array.from({ length: Number(total) }, (_, index) => index));
    }
  }

  #move(run: NodeRun, good: boolean): void {
    const { engine } = this;
    if (run.status === "waiting" && run.wakeAt !== null) {
      engine.now = Math.max(engine.now, run.wakeAt);
      return this.#apply({ type: "woken" });
    }
    if (run.status === "waiting") {
      const decision = good ? "approved" : "rejected";
      const answer = { nodeRunId: run.id, decision, by: "ann", comment: null } as const;
      return this.#apply({ type: "decided", decision: { ...answer, approved: { versions: {}, targets: {} } } });
    }
    if (run.childExecutionId !== null) {
      const status = good ? "succeeded" : "failed";
      const report = {
        nodeRunId: run.id,
        childExecutionId: run.childExecutionId,
        status,
        outputs: {},
        error: null,
        approved: null,
      } as const;
      return this.#apply({ type: "childEnded", report });
    }
    const { jobId, attempt } = run;
    const status = good ? "succeeded" : "failed";
    const report = engine.report(run.nodeId, { jobId: jobId ?? "", attempt, status });
    this.#apply({ type: "jobFinished", report });
    // A repeated event changes nothing.
    const { state } = engine;
    expect(engine.apply({ type: "jobFinished", report })).toEqual([]);
    expect(engine.state).toBe(state);
  }

  #apply(event: RunEvent): void {
    this.engine.apply(event);
    this.#checkRoom();
  }

  #checkRoom(): void {
    const open = new Map<string, Set<number>>();
    for (const run of this.engine.state.nodeRuns) {
      if (isTerminalNodeRun(run.status) || run.path.length === 0) continue;
      const loop = [...this.#loops].find(([, { body }]) => body.nodes.some(({ id }) => id === run.nodeId))?.[0];
      const key = `${loop ?? ""} ${run.path.slice(0, -1).join(".")}`;
      open.set(key, (open.get(key) ?? new Set()).add(run.path.at(-1) ?? -1));
    }
    for (const [key, iterations] of open) {
      const [loop = ""] = key.split(" ");
      expect(iterations.size).toBeLessThanOrEqual(this.#loops.get(loop)?.room ?? 0);
    }
  }
}

const isOpen = (run: NodeRun) =>
  (run.status === "running" && (run.jobId !== null || run.childExecutionId !== null)) || run.status === "waiting";

function collectLoops({ nodes }: Graph, loops: Map<string, { room: number; body: Graph }>): void {
  for (const node of nodes) {
    if (node.type !== "forEach") continue;
    loops.set(node.id, { room: node.concurrency ?? 1, body: node.body });
    collectLoops(node.body, loops);
  }
}

function toGraph(shapes: readonly Shape[], ids: { next: number }): { nodes: JsonObject[]; edges: Definition["edges"] } {
  const edges: Definition["edges"] = [];
  let handlers = 0;
  let before: { id: string; on: "success" | "true" | "approved" } | null = null;
  const nodes: JsonObject[] = [];
  for (const [index, one] of shapes.entries()) {
    const id = `n${(ids.next += 1)}`;
    const isHandler = one.kind === "handler" && index > 0 && (handlers += 1) === 1;
    nodes.push(toNode(one, id, isHandler, ids));
    if (isHandler) continue;
    if (one.chained && before !== null) edges.push({ from: before.id, to: id, on: before.on });
    before = { id, on: one.kind === "condition" ? "true" : one.kind === "approval" ? "approved" : "success" };
  }
  return { nodes, edges };
}

function toNode(
  { kind, items, room, rules, body }: Shape,
  id: string,
  isHandler: boolean,
  ids: { next: number },
): JsonObject {
  switch (kind) {
    case "forEach": {
      const graph = toGraph(body, ids);
      const list = JSON.stringify(Array.from({ length: items }, (_, index) => index));
      return {
        id,
        type: "forEach",
        items: list,
        concurrency: room,
        ...rules,
        body: { nodes: graph.nodes, edges: graph.edges.map((edge) => ({ ...edge })) },
      };
    }
    case "delay":
      return { id, type: "delay", seconds: 7 };
    case "approval":
      return { id, type: "approval", message: "?" };
    case "workflow":
      return { id, type: "workflow", workflowId: "child" };
    case "condition":
      return {
        id,
        type: "condition",
        when: { logic: "all", conditions: [{ field: "webhook.none", operator: "notExists" }] },
      };
    case "retried":
      return action(id, { retry: { maxAttempts: 2, backoffSeconds: 3 } });
    default:
      return isHandler ? { id, type: "errorHandler" } : action(id);
  }
}
