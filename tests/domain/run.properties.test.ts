import { expect, test } from "bun:test";
import fc from "fast-check";
import { isTerminalExecution, isTerminalNodeRun } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { NODE_OUTCOMES } from "../../schema/contract/workflow.ts";
import type { Definition, Edge, Outcome } from "../../schema/contract/workflow.ts";
import type { JobOrder, JobReport } from "../../worker/domain/job-order.ts";
import type { RunEvent } from "../../worker/actors/run/engine/types.ts";
import { Engine, action, define, problemsOf } from "./engine.ts";

/** Random valid graphs, and random events for them, some of them repeated, late or out of order. */
const node = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant("action"), attempts: fc.integer({ min: 1, max: 3 }), read: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("condition"), holds: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("delay"), seconds: fc.integer({ min: 1, max: 100 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("errorHandler") }) },
);
type NodeShape = { type: string; attempts?: number; read?: boolean; holds?: boolean; seconds?: number };

const graph = fc
  .record({
    nodes: fc.array<NodeShape>(node, { minLength: 1, maxLength: 40 }),
    edges: fc.array(fc.record({ from: fc.nat(), to: fc.nat(), on: fc.nat() }), { maxLength: 90 }),
  })
  .map(({ nodes, edges }) => toDefinition(nodes, edges));

const happening = fc.record({
  what: fc.constantFrom("report", "report", "report", "report", "repeat", "contradict", "wake", "start", "unknown"),
  which: fc.nat(),
  outcome: fc.constantFrom("succeeded", "succeeded", "failed", "timed_out", "lost", "cancelled"),
  afterMs: fc.integer({ min: 0, max: 20_000 }),
});
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

function toDefinition(
  shapes: readonly NodeShape[],
  wanted: readonly { from: number; to: number; on: number }[],
): Definition {
  const types = shapes.map(({ type }) => type);
  const seen = new Set<string>();
  const edges: Edge[] = [];
  for (const { from, to, on } of wanted) {
    const [a, b] = [from % shapes.length, to % shapes.length];
    if (a === b) continue;
    const [first, last] = a < b ? [a, b] : [b, a];
    const outcomes: readonly Outcome[] = outcomesOf(types[first] ?? "");
    const edge: Edge = { from: `n${first}`, to: `n${last}`, on: outcomes[on % outcomes.length] ?? "success" };
    if (types[last] === "errorHandler" && edge.on !== "failure") continue;
    if (types[first] === "errorHandler" && edge.on !== "success") continue;
    const key = `${edge.from} ${edge.on} ${edge.to}`;
    if (!seen.has(key)) edges.push(edge);
    seen.add(key);
  }
  // A valid workflow has at most one errorHandler without incoming edges, and a node that can start.
  let handlers = 0;
  const nodes = shapes.map((shape, index): JsonObject => {
    const root = shape.type === "errorHandler" && !edges.some((edge) => edge.to === `n${index}`);
    if (root) handlers += 1;
    return toNode(root && (handlers > 1 || index === 0) ? { type: "action" } : shape, `n${index}`);
  });
  return define(nodes, edges);
}

function outcomesOf(type: string): readonly Outcome[] {
  if (type === "condition" || type === "delay" || type === "errorHandler") return NODE_OUTCOMES[type];
  return NODE_OUTCOMES.action;
}

function toNode({ type, attempts = 1, read = false, holds, seconds }: NodeShape, id: string): JsonObject {
  switch (type) {
    case "condition":
      return {
        id,
        type,
        when: {
          logic: "all",
          conditions: [{ field: "webhook.none", operator: holds === true ? "notExists" : "exists" }],
        },
      };
    case "delay":
      return { id, type, seconds: seconds ?? 1 };
    case "errorHandler":
      return { id, type };
    default:
      return action(id, {
        ...(read ? { action: "http.request", connectionId: "http", params: { path: "/" } } : {}),
        retry: { maxAttempts: attempts, backoffSeconds: 3 },
      });
  }
}

/** Drives an execution to its end and returns what it did, for the checks. */
class Drive {
  readonly engine: Engine;
  readonly events: { event: RunEvent; now: number }[] = [];
  readonly #reports: JobReport[] = [];

  constructor(readonly definition: Definition) {
    this.engine = new Engine(definition);
    this.apply({ type: "started" });
  }

  apply(event: RunEvent): void {
    const { engine } = this;
    const before = engine.state;
    this.events.push({ event, now: engine.now });
    const effects = engine.apply(event);
    if (engine.state === before) expect(effects).toEqual([]);
    else expect(engine.state.revision).toBe(before.revision + 1);
    for (const effect of effects) if (effect.type === "enqueueJob") this.#checkTurn(effect.order);
    this.#checkWake();
  }

  happen({ what, which, outcome, afterMs }: Happening): void {
    this.engine.now += afterMs;
    switch (what) {
      case "report":
        return this.report(which, outcome);
      case "repeat":
      case "contradict": {
        const old = this.#reports[which % Math.max(1, this.#reports.length)];
        if (old !== undefined)
          this.#unchanged({ type: "jobFinished", report: what === "repeat" ? old : { ...old, status: "failed" } });
        return;
      }
      case "unknown":
        return this.#unchanged({
          type: "jobFinished",
          report: { ...this.#reportOf("none", "succeeded"), jobId: "job_unknown" },
        });
      case "start":
        return this.#unchanged({ type: "started" });
      case "wake":
        return this.apply({ type: "woken" });
    }
  }

  report(which: number, outcome: string): void {
    const open = this.engine.state.nodeRuns.filter((run) => run.status === "running");
    const run = open[which % Math.max(1, open.length)];
    if (run === undefined) return;
    const report = this.#reportOf(run.nodeId, outcome);
    this.#reports.push(report);
    this.apply({ type: "jobFinished", report });
  }

  #reportOf(nodeId: string, outcome: string): JobReport {
    const run =
      this.engine.state.nodeRuns.find((candidate) => candidate.nodeId === nodeId) ?? this.engine.state.nodeRuns[0];
    const status = outcome === "timed_out" || outcome === "cancelled" || outcome === "succeeded" ? outcome : "failed";
    return this.engine.report(run?.nodeId ?? "", { status, lost: outcome === "lost" });
  }

  #unchanged(event: RunEvent): void {
    const before = this.engine.state;
    this.apply(event);
    expect(this.engine.state).toBe(before);
  }

  /** A job is made only when every edge into its node is settled, and one was taken. */
  #checkTurn(order: JobOrder): void {
    const run = this.engine.state.nodeRuns.find(({ id }) => id === order.nodeRunId);
    const incoming = this.definition.edges.filter((edge) => edge.to === run?.nodeId);
    const from = incoming.map((edge) => ({ edge, run: this.engine.run(edge.from) }));
    expect(from.every((one) => isTerminalNodeRun(one.run.status))).toBe(true);
    expect(incoming.length === 0 || from.some((one) => one.run.outcome === one.edge.on)).toBe(true);
  }

  #checkWake(): void {
    const due = this.engine.state.nodeRuns.flatMap((run) => (run.wakeAt === null ? [] : [run.wakeAt]));
    expect(this.engine.state.wakeAt).toBe(due.length === 0 ? null : Math.min(...due));
  }
}

function checkEnd({ definition, engine, events }: Drive): void {
  const { state } = engine;
  expect(isTerminalExecution(state.status)).toBe(true);
  expect(state.finishedAt).not.toBeNull();
  expect(state.nodeRuns.map((run) => run.nodeId)).toEqual(definition.nodes.map(({ id }) => id));
  for (const run of state.nodeRuns) expect(isTerminalNodeRun(run.status)).toBe(true);
  expect(engine.effects.filter((effect) => effect.type === "executionEnded")).toEqual([
    { type: "executionEnded", status: state.status },
  ]);
  checkJobs(definition, engine);
  if (state.status !== "cancelled") checkOutcomes(definition, engine);

  const replay = new Engine(definition);
  for (const { event, now } of events) {
    replay.now = now;
    replay.apply(event);
  }
  expect(replay.state).toEqual(state);
  expect(replay.effects).toEqual(engine.effects);

  for (const event of [
    ...events.map((past) => past.event),
    { type: "cancelled", by: "late" } as const,
    { type: "woken" } as const,
  ]) {
    engine.now += 1_000_000;
    engine.apply(event);
    expect(engine.state).toBe(state);
  }
}

/** Each node runs at most once: one job for each attempt, and at most the configured number of attempts. */
function checkJobs(definition: Definition, engine: Engine): void {
  expect(new Set(engine.orders.map(({ jobId }) => jobId)).size).toBe(engine.orders.length);
  for (const one of definition.nodes) {
    const attempts = engine.orders
      .filter(({ nodeRunId }) => nodeRunId === engine.run(one.id).id)
      .map(({ attempt }) => attempt);
    expect(attempts).toEqual(attempts.map((_, index) => index + 1));
    const most = one.type === "action" ? (one.retry?.maxAttempts ?? 1) : 0;
    expect(attempts.length).toBeLessThanOrEqual(most);
  }
}

/** The final status, computed again from the outcomes alone. */
function checkOutcomes(definition: Definition, engine: Engine): void {
  const entered = (id: string) => definition.edges.some((edge) => edge.to === id);
  const root = definition.nodes.find(({ id, type }) => type === "errorHandler" && !entered(id))?.id;
  for (const { id } of definition.nodes) {
    const taken = definition.edges.some((edge) => edge.to === id && engine.run(edge.from).outcome === edge.on);
    const runs = id === root ? engine.run(id).status === "succeeded" : !entered(id) || taken;
    expect(engine.run(id).status !== "skipped").toBe(runs);
  }
  const failed = engine.state.nodeRuns.filter(
    ({ status }) => status === "failed" || status === "timed_out" || status === "cancelled",
  );
  const loose = failed.filter(
    ({ nodeId }) => !definition.edges.some((edge) => edge.from === nodeId && edge.on === "failure"),
  );
  const behind = root === undefined ? new Set<string>() : reachable(root, definition);
  const handled = root !== undefined && loose.some(({ nodeId }) => !behind.has(nodeId)) ? 1 : 0;
  expect(root === undefined ? "skipped" : engine.run(root).status).toBe(handled === 1 ? "succeeded" : "skipped");
  expect(engine.state.status).toBe(loose.length > handled ? "failed" : "succeeded");
  expect(engine.state.error === null).toBe(engine.state.status === "succeeded");
}

function reachable(start: string, definition: Definition): Set<string> {
  const reached = new Set([start]);
  for (const id of reached) for (const edge of definition.edges) if (edge.from === id) reached.add(edge.to);
  return reached;
}

test("random graphs with random outcomes end, run a node at most once, and only if one of its edges was taken", () => {
  fc.assert(
    fc.property(
      graph,
      fc.array(happening, { maxLength: 60 }),
      fc.array(fc.nat(), { minLength: 1, maxLength: 10 }),
      (definition, happenings, rest) => {
        expect(problemsOf(definition)).toEqual([]);
        const drive = new Drive(definition);
        for (const one of happenings) drive.happen(one);
        // Once every open job is reported and every timer has fired, the execution must end.
        for (let round = 0; drive.engine.state.status === "running"; round += 1) {
          expect(round).toBeLessThan(1_000);
          const pick = rest[round % rest.length] ?? 0;
          drive.report(pick, pick % 3 === 0 ? "failed" : "succeeded");
          drive.engine.now += 200_000;
          drive.apply({ type: "woken" });
        }
        checkEnd(drive);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("a cancel at any time ends the execution in that step and cancels every open job", () => {
  fc.assert(
    fc.property(graph, fc.array(happening, { maxLength: 30 }), (definition, happenings) => {
      const drive = new Drive(definition);
      for (const one of happenings) drive.happen(one);
      if (isTerminalExecution(drive.engine.state.status)) return;
      const open = drive.engine.state.nodeRuns.flatMap((run) => (run.status === "running" ? [run.jobId] : []));
      drive.apply({ type: "cancelled", by: "someone" });
      expect(drive.engine.effects.flatMap((effect) => (effect.type === "cancelJob" ? [effect.jobId] : []))).toEqual(
        open.flatMap((jobId) => (jobId === null ? [] : [jobId])),
      );
      expect(drive.engine.state.status).toBe("cancelled");
      checkEnd(drive);
    }),
    { numRuns: 500 },
  );
});
