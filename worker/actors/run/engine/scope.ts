import { isTerminalNodeRun } from "../../../../schema/contract/execution.ts";
import type { Edge, Graph } from "../../../../schema/contract/workflow.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import { indexOf } from "../../../domain/graph/graph-index.ts";
import type { GraphIndex, IndexedNode } from "../../../domain/graph/graph-index.ts";
import type { Items } from "../../../domain/template/items.ts";
import type { Draft, RunChange } from "./draft.ts";
import { unhandledFailure } from "./unhandled-failure.ts";
import type { UnhandledFailure } from "./unhandled-failure.ts";

/** A node run's key in its execution: ids of nodes are free of `/` and `.`. */
export function runKey(nodeId: string, path: readonly number[]): string {
  return path.length === 0 ? nodeId : `${path.join(".")}/${nodeId}`;
}

/**
 * One graph in the middle of being run: the workflow's own, or a forEach's body for one of its items. Nodes see and
 * settle the nodes of their own scope; templates also look outwards.
 */
export class Scope {
  readonly index: GraphIndex;
  /** The lists of its forEach nodes, once worked out. */
  readonly items = new Map<string, Items>();
  readonly #prefix: string;
  #over = false;
  #failure: { first: UnhandledFailure | null } | null = null;
  readonly #iterations = new Map<string, Map<number, Scope>>();

  constructor(
    readonly draft: Draft,
    graph: Graph,
    /** Iteration indexes from the outermost forEach inwards; empty for the workflow's own graph. */
    readonly path: readonly number[],
    /** The forEach whose iteration this is; null for the workflow's own graph. */
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

  run(nodeId: string): NodeRun {
    const run = this.draft.find(this.key(nodeId));
    if (run === undefined) throw new Error(`node ${this.key(nodeId)} has no run`);
    return run;
  }

  /** Its own node runs, without those of iterations inside. */
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

  /** Whether all of its nodes have ended; then they stay so. */
  get over(): boolean {
    if (this.#over) return true;
    for (const run of this.runs()) if (!isTerminalNodeRun(run.status)) return false;
    return (this.#over = true);
  }

  /** Once it is over: the first failure that nothing in it handled. */
  get failure(): UnhandledFailure | null {
    return (this.#failure ??= { first: unhandledFailure(this) }).first;
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
