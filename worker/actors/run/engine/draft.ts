import type { Approved } from "../../../../schema/contract/approval.ts";
import { isTerminalNodeRun } from "../../../../schema/contract/execution.ts";
import type { ExecutionStatus } from "../../../../schema/contract/execution.ts";
import type { Hold } from "../../../../schema/contract/hold.ts";
import type { RunLimits } from "../../../../schema/contract/limit-group.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import type { Definition, Edge, Graph } from "../../../../schema/contract/workflow.ts";
import {
  EXECUTION_MAX_DURATION_MS,
  NODE_RUN_WARNINGS_MAX,
  NODE_RUN_WARNING_MAX_CHARS,
  STEP_RENDERED_MAX_BYTES,
} from "../../../../schema/limits.ts";
import type { ExecutionState, NodeRun } from "../../../domain/execution-state.ts";
import { forEachChains } from "../../../domain/graph/for-each-chains.ts";
import { indexOf } from "../../../domain/graph/graph-index.ts";
import type { GraphIndex, IndexedNode } from "../../../domain/graph/graph-index.ts";
import type { Items } from "../../../domain/template/items.ts";
import { earliest } from "../../kit/earliest.ts";
import { pendingRun } from "./pending-run.ts";
import type { KeptBy, RunEffect, StepDeps, StepResult } from "./types.ts";

/** The fields of a node run that a step may change; its place in the execution never changes. */
export type RunChange = Partial<Omit<NodeRun, "id" | "nodeId" | "path" | "revision">>;

const CANCEL_AGAIN_MS = 60_000;

/**
 * The working state of one step, and the only mutable one. The input stays unchanged, and a node run that did not
 * change stays the same object.
 */
export class Draft {
  readonly effects: RunEffect[] = [];
  /** Ended nodes whose edges are not followed yet, in the order in which they ended. */
  readonly ended: { scope: Scope; nodeId: string }[] = [];
  /** Scopes that begin with this step. */
  readonly opened: Scope[] = [];
  /** Scopes with a change, which may be over. */
  readonly touched = new Set<Scope>();
  readonly root: Scope;
  /** Bytes rendered into jobs, sub-workflows and warnings. */
  renderedBytes = 0;
  status: ExecutionStatus;
  error: Failure | null;
  approved: Approved | null;
  hold: Hold | null;
  suppressed: ExecutionState["suppressed"];
  supersededBy: string | null;
  lookAgainAt: number | null = null;
  limits: RunLimits | null;
  /** An action needs the reservation of the limits, which was not given: the step must be taken again with it. */
  wantsReservation = false;
  /** What kept actions from being ordered. */
  readonly kept: KeptBy[] = [];
  changed = false;
  readonly #chains: ReadonlyMap<string, readonly string[]>;
  readonly #runs: Map<string, NodeRun>;

  constructor(
    readonly definition: Definition,
    readonly before: ExecutionState,
    readonly now: number,
    readonly deps: StepDeps,
  ) {
    this.#chains = forEachChains(definition);
    this.status = before.status;
    this.error = before.error;
    this.approved = before.approved;
    this.hold = before.hold;
    this.suppressed = before.suppressed;
    this.supersededBy = before.supersededBy;
    this.limits = before.limits;
    this.#runs = new Map();
    this.root = new Scope(this, definition, [], null);
    for (const run of before.nodeRuns) this.#runs.set(runKey(run.nodeId, run.path), run);
    for (const run of before.nodeRuns) if (run.path.length > 0) this.scopeOf(run);
  }

  get runs(): Iterable<NodeRun> {
    return this.#runs.values();
  }

  get runCount(): number {
    return this.#runs.size;
  }

  /** The latest end of the execution (epoch ms). */
  get endsAt(): number {
    const limitMs = (this.definition.timeoutSeconds ?? EXECUTION_MAX_DURATION_MS / 1_000) * 1_000;
    return (this.before.begunAt ?? this.now) + limitMs;
  }

  /** True when so much was rendered that further nodes wait for the next step. */
  get isFull(): boolean {
    return this.renderedBytes >= STEP_RENDERED_MAX_BYTES;
  }

  /** Lets a node begin with the next step, which follows immediately: this one has rendered enough for a batch. */
  postpone(scope: Scope, nodeId: string): void {
    this.update(scope, nodeId, { status: "waiting", error: null, wakeAt: this.now + 1 });
  }

  find(key: string): NodeRun | undefined {
    return this.#runs.get(key);
  }

  /** The forEach nodes around a node, outermost first. */
  chainOf(nodeId: string): readonly string[] {
    const chain = this.#chains.get(nodeId);
    if (chain === undefined) throw new Error(`node ${nodeId} is not in this definition`);
    return chain;
  }

  /** The scope of a node run: the execution itself, or one iteration of a forEach. */
  scopeOf({ nodeId, path }: Pick<NodeRun, "nodeId" | "path">): Scope {
    const chain = this.chainOf(nodeId);
    let scope = this.root;
    for (const [depth, forEachId] of chain.entries()) {
      const index = path[depth];
      if (index === undefined) break;
      scope = scope.iteration(forEachId, index) ?? this.#open(scope, forEachId, index);
    }
    return scope;
  }

  openIteration(scope: Scope, forEachId: string, index: number): void {
    this.begin(this.#open(scope, forEachId, index));
  }

  /** Opens a scope, with a `pending` run for each of its nodes. */
  begin(scope: Scope): void {
    this.opened.push(scope);
    this.addRuns(scope);
  }

  addRuns(scope: Scope): void {
    for (const nodeId of scope.index.nodes.keys()) {
      const key = scope.key(nodeId);
      if (this.#runs.has(key)) continue;
      const id = this.deps.newId("nodeRun");
      this.#runs.set(key, pendingRun({ id, nodeId, path: scope.path, revision: this.before.revision + 1 }));
    }
    this.touched.add(scope);
    this.changed = true;
  }

  update(scope: Scope, nodeId: string, change: RunChange): void {
    const next = { ...scope.run(nodeId), ...change, revision: this.before.revision + 1 };
    this.#runs.set(scope.key(nodeId), next);
    this.touched.add(scope);
    this.changed = true;
    if (isTerminalNodeRun(next.status)) this.ended.push({ scope, nodeId });
  }

  /**
   * Adds a warning about a node run's templates. Each text is added once, because further attempts and steps find the
   * same again. A full step adds none.
   */
  warn(scope: Scope, nodeId: string, warning: string): void {
    const text = warning.slice(0, NODE_RUN_WARNING_MAX_CHARS).toWellFormed();
    const known = scope.run(nodeId).warnings ?? [];
    if (known.includes(text) || known.length >= NODE_RUN_WARNINGS_MAX || this.isFull) return;
    this.renderedBytes += text.length;
    this.update(scope, nodeId, { warnings: [...known, text] });
  }

  finish(): StepResult {
    if (!this.changed) return { state: this.before, effects: [] };
    const nodeRuns = [...this.#runs.values()];
    const running = this.status === "running";
    if (!running) this.effects.push({ type: "executionEnded", status: this.status });
    return {
      state: {
        ...this.before,
        begunAt: this.hold === null ? (this.before.begunAt ?? this.now) : null,
        status: this.status,
        error: this.error,
        approved: this.approved,
        hold: running ? this.hold : null,
        suppressed: this.suppressed,
        supersededBy: this.supersededBy,
        limits: this.limits,
        revision: this.before.revision + 1,
        finishedAt: running ? null : this.now,
        wakeAt: !running ? this.#lookAgainAt() : this.hold === null ? this.#wakeAt(nodeRuns) : this.lookAgainAt,
        nodeRuns,
      },
      effects: this.effects,
      wantsReservation: this.wantsReservation,
      kept: this.kept,
    };
  }

  /** Sub-workflows are cancelled with this step and once more later, because a crash may lose the first call. */
  #lookAgainAt(): number | null {
    return this.effects.some(({ type }) => type === "cancelChild") ? this.now + CANCEL_AGAIN_MS : null;
  }

  /** The limit that every execution has is not worth an alarm each: the minute's sweep ends such executions. */
  #wakeAt(nodeRuns: readonly NodeRun[]): number | null {
    const limit = this.definition.timeoutSeconds === undefined ? null : this.endsAt;
    const next = earliest([limit, ...nodeRuns.map((run) => run.wakeAt)]);
    // A postponed node is due already, and a past time would look like one that was tried.
    return next !== null && this.isFull ? Math.max(next, this.now + 1) : next;
  }

  #open(scope: Scope, forEachId: string, index: number): Scope {
    const { node } = scope.node(forEachId);
    if (node.type !== "forEach") throw new Error(`node ${forEachId} is not a forEach`);
    const opened = new Scope(this, node.body, [...scope.path, index], { scope, forEachId });
    scope.addIteration(forEachId, index, opened);
    return opened;
  }
}

/**
 * A graph during a run: the workflow's own, or a forEach's body for one item. Nodes follow edges inside their own
 * scope; templates also read the outer ones.
 */
export class Scope {
  readonly index: GraphIndex;
  /** The lists of its forEach nodes, once rendered. */
  readonly items = new Map<string, Items>();
  readonly #prefix: string;
  #over = false;
  readonly #iterations = new Map<string, Map<number, Scope>>();

  constructor(
    readonly draft: Draft,
    graph: Graph,
    /** Iteration indexes from the outermost forEach inwards; empty for the workflow's own graph. */
    readonly path: readonly number[],
    /** The forEach of this iteration; null for the workflow's own graph. */
    readonly parent: { readonly scope: Scope; readonly forEachId: string } | null,
  ) {
    this.index = indexOf(graph);
    this.#prefix = path.length === 0 ? "" : `${path.join(".")}/`;
  }

  key(nodeId: string): string {
    return this.#prefix + nodeId;
  }

  node(nodeId: string): IndexedNode {
    const node = this.index.nodes.get(nodeId);
    if (node === undefined) throw new Error(`node ${nodeId} is not in this graph`);
    return node;
  }

  nameOf(nodeId: string): string {
    return this.node(nodeId).node.name ?? nodeId;
  }

  run(nodeId: string): NodeRun {
    const run = this.draft.find(this.key(nodeId));
    if (run === undefined) throw new Error(`node ${this.key(nodeId)} has no run`);
    return run;
  }

  /** The node runs of this graph, without those of inner iterations. */
  *runs(): Iterable<NodeRun> {
    for (const nodeId of this.index.nodes.keys()) yield this.run(nodeId);
  }

  update(nodeId: string, change: RunChange): void {
    this.draft.update(this, nodeId, change);
  }

  /** Whether the node was left by this edge. */
  takes(edge: Edge): boolean {
    return this.run(edge.from).outcome === edge.on;
  }

  /** Whether all of its nodes have ended. Never becomes false again. */
  get over(): boolean {
    if (this.#over) return true;
    for (const run of this.runs()) if (!isTerminalNodeRun(run.status)) return false;
    return (this.#over = true);
  }

  /** The iterations of one of its forEach nodes that have begun, by index. */
  iterations(forEachId: string): ReadonlyMap<number, Scope> {
    return this.#iterations.get(forEachId) ?? new Map();
  }

  iteration(forEachId: string, index: number): Scope | undefined {
    return this.#iterations.get(forEachId)?.get(index);
  }

  addIteration(forEachId: string, index: number, scope: Scope): void {
    const begun = this.#iterations.get(forEachId) ?? new Map<number, Scope>();
    begun.set(index, scope);
    this.#iterations.set(forEachId, begun);
  }
}

/** A node run's key in its execution. Node ids contain no `/` and no `.`. */
function runKey(nodeId: string, path: readonly number[]): string {
  return path.length === 0 ? nodeId : `${path.join(".")}/${nodeId}`;
}
