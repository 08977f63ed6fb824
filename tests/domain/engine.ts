import type { Approved } from "../../schema/contract/approval.ts";
import { definitionSchema, edgeSchema } from "../../schema/contract/workflow.ts";
import type { Definition, Edge, Trigger } from "../../schema/contract/workflow.ts";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import type { RunLimits } from "../../schema/contract/limit-group.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { GraphLookup } from "../../worker/domain/graph/lookup.ts";
import { createExecution, step } from "../../worker/actors/run/engine/step.ts";
import type { ExecutionState, NodeRun } from "../../worker/domain/execution-state.ts";
import type { Reservation } from "../../worker/domain/limit/judge-limits.ts";
import type { JobOrder, JobReport } from "../../worker/domain/job-order.ts";
import type {
  ChildTarget,
  ConnectionRoute,
  RunEffect,
  RunEvent,
  StepDeps,
} from "../../worker/actors/run/engine/types.ts";
import { definitionProblems } from "../support/problems.ts";

const NOW = 1_800_000_000_000;
const PREFIXES = { job: "job", nodeRun: "run", execution: "exe" } as const;

/** The connections of these tests: `script`, `ssh`, `http`, and problems of others. */
export const ROUTES: Readonly<Record<string, ConnectionRoute>> = {
  script: { name: "web", type: "script", enabled: true, targets: null, poolObject: "pool:p", pinnedAgentId: null },
  ssh: { name: "web", type: "ssh", enabled: true, targets: null, poolObject: "agent:a", pinnedAgentId: "a" },
  http: { name: "web", type: "http", enabled: true, targets: null, poolObject: "pool:p", pinnedAgentId: null },
  disabled: { name: "web", type: "script", enabled: false, targets: null, poolObject: "pool:p", pinnedAgentId: null },
  unassigned: { name: "web", type: "script", enabled: true, targets: null, poolObject: null, pinnedAgentId: null },
};

export const LOOKUP: GraphLookup = {
  connection: (id) => {
    const route = ROUTES[id];
    return route === undefined
      ? null
      : { type: route.type, enabled: route.enabled, assigned: route.poolObject !== null, targets: route.targets };
  },
  workflow: (id) => (Object.hasOwn(CHILDREN, id) ? { name: id, inputs: null } : null),
  person: (id) => id === "usr_ann",
};

/** The sub-workflows of these tests: `child`, and one that needs an input. */
export const CHILDREN: Readonly<Record<string, ChildTarget>> = {
  child: { versionId: "wfv_child", resolve: (variables) => ({ ok: true, variables }) },
  picky: { versionId: "wfv_picky", resolve: () => ({ ok: false, problem: "variables.host is required" }) },
};

/** An action that runs a script; `more` overrides any field. */
export function action(id: string, more: JsonObject = {}): JsonObject {
  return { id, type: "action", action: "script.bash", connectionId: "script", params: { script: "true" }, ...more };
}

/** `a -> b` is an edge by success; `a -failure-> b` names another outcome. */
export function edges(...lines: string[]): Edge[] {
  return lines.map((line) => {
    const parts = /^(\S+) -(?:(\w+)-)?> (\S+)$/u.exec(line);
    if (parts === null) throw new Error(`not an edge: ${line}`);
    return edgeSchema.parse({ from: parts[1], to: parts[3], on: parts[2] ?? "success" });
  });
}

export function define(nodes: readonly JsonObject[], graphEdges: readonly Edge[] = []): Definition {
  return definitionSchema.parse({ nodes, edges: graphEdges });
}

export function problemsOf(definition: Definition, trigger: Trigger = { type: "webhook" }) {
  return definitionProblems(definition, trigger, LOOKUP);
}

export interface EngineOptions {
  trigger?: ExecutionTrigger;
  depth?: number;
  /** The node runs that a retry keeps. */
  kept?: readonly NodeRun[];
  /** The snapshot that its parent's approval approved. */
  approved?: Approved;
  routes?: Readonly<Record<string, ConnectionRoute>>;
  limits?: RunLimits;
}

/** Drives one execution as `WorkflowRuns` does: one event at a time, a clock that only tests move. */
export class Engine {
  state: ExecutionState;
  now = NOW;
  readonly effects: RunEffect[] = [];
  readonly deps: StepDeps;
  /** The answer when a step wants to reserve its limits. */
  reservation: Reservation = { granted: true };
  /** How often a step wanted it. */
  reservations = 0;
  readonly #definition: Definition;
  #ids = 0;

  constructor(
    definition: Definition,
    { trigger, routes = ROUTES, depth = 0, kept = [], approved, limits }: EngineOptions = {},
  ) {
    this.#definition = deepFreeze(definition);
    this.deps = {
      newId: (kind) => `${PREFIXES[kind]}_${(this.#ids += 1)}`,
      publishedBy: "usr_1",
      route: (id) => routes[id] ?? null,
      child: (id) => CHILDREN[id] ?? null,
    };
    this.state = deepFreeze(
      createExecution({
        id: "exe_1",
        workflowId: "wf_1",
        versionId: "wfv_1",
        trigger: trigger ?? { type: "webhook", variables: {} },
        startedAt: NOW,
        depth,
        kept,
        approved: approved ?? null,
        limits: limits ?? null,
      }),
    );
  }

  /** Starts an execution of these nodes. */
  static start(nodes: readonly JsonObject[], graphEdges: readonly Edge[] = [], options?: EngineOptions): Engine {
    const engine = new Engine(define(nodes, graphEdges), options);
    engine.apply({ type: "started" });
    return engine;
  }

  /** Starts an execution of a whole definition, as clients send it. */
  static startDefinition(definition: JsonObject): Engine {
    const engine = new Engine(definitionSchema.parse(definition));
    engine.apply({ type: "started" });
    return engine;
  }

  /** Applies an event and returns the effects of this step only. */
  apply(event: RunEvent): RunEffect[] {
    const take = (deps: StepDeps) => step(this.#definition, this.state, deepFreeze(event), this.now, deps);
    let result = take(this.deps);
    if (result.wantsReservation === true) {
      this.reservations += 1;
      result = take({ ...this.deps, reservation: this.reservation });
    }
    const { state, effects } = result;
    this.state = deepFreeze(state);
    this.effects.push(...effects);
    return [...effects];
  }

  /** Reports the end of a node's current job. */
  end(nodeId: string, report: Partial<JobReport> = {}): RunEffect[] {
    return this.apply({ type: "jobFinished", report: this.report(nodeId, report) });
  }

  fail(nodeId: string, report: Partial<JobReport> = {}): RunEffect[] {
    return this.end(nodeId, { status: "failed", error: { code: "nonzero_exit", message: "It failed." }, ...report });
  }

  report(nodeId: string, more: Partial<JobReport> = {}): JobReport {
    const run = this.run(nodeId);
    return {
      jobId: run.jobId ?? "none",
      attempt: run.attempt,
      status: "succeeded",
      output: { stdout: `output of ${nodeId}`, exitCode: 0 },
      error: null,
      agentId: "agt_1",
      times: {
        queuedAt: null,
        assignedAt: this.now,
        deliveredAt: this.now,
        startedAt: this.now,
        finishedAt: this.now,
        reportedAt: this.now,
      },
      lost: false,
      ...more,
    };
  }

  /** Lets time pass, as the alarm would. */
  wake(afterMs: number): RunEffect[] {
    this.now += afterMs;
    return this.apply({ type: "woken" });
  }

  run(nodeId: string): NodeRun {
    const run = this.state.nodeRuns.find((candidate) => candidate.nodeId === nodeId);
    if (run === undefined) throw new Error(`no run of ${nodeId}`);
    return run;
  }

  /** `{a: "succeeded", b: "skipped"}` */
  get statuses(): Record<string, string> {
    return Object.fromEntries(this.state.nodeRuns.map((run) => [run.nodeId, run.status]));
  }

  get orders(): JobOrder[] {
    return this.effects.flatMap((effect) => (effect.type === "enqueueJob" ? [effect.order] : []));
  }

  /** The last order of a node. */
  order(nodeId: string): JobOrder {
    const order = this.orders.findLast(({ nodeRunId }) => nodeRunId === this.run(nodeId).id);
    if (order === undefined) throw new Error(`no order of ${nodeId}`);
    return order;
  }
}

/** Freezes a value: a pure function that changes its argument throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) deepFreeze(member);
  return value;
}
