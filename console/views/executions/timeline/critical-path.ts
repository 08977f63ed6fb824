import type { NodeRunView } from "../../../../schema/contract/execution.ts";
import type { ForEachNode, Graph } from "../../../../schema/contract/workflow.ts";
import type { IterationPath, RunsByPlace } from "../iterations.ts";
import { beganAt, endedAt } from "./bars.ts";

/** An execution's time in epoch ms. Node runs that ended before `from` were kept from an earlier execution. */
export interface Span {
  from: number;
  now: number;
}

/**
 * The ids of the node runs that decided when the execution ends: the one that ended last, the one that it waited for, and
 * so on back to the start. In a forEach, the iterations that followed each other up to its end.
 */
export function criticalPath(definition: Graph, runs: RunsByPlace, span: Span): ReadonlySet<string> {
  const found = new Set<string>();
  followBack(new GraphRuns(definition, [], runs, span), found);
  return found;
}

function followBack(scope: GraphRuns, found: Set<string>): void {
  for (let id = scope.last(); id !== null; id = scope.before(id)) {
    const run = scope.at(id);
    if (run === null || found.has(run.id)) return;
    found.add(run.id);
    const node = scope.graph.nodes.find((each) => each.id === id);
    if (node?.type === "forEach") followIterations(node, scope, found);
  }
}

/** The iteration that ended last, the one whose end let it begin, and so on. */
function followIterations(node: ForEachNode, { path, runs, span }: GraphRuns, found: Set<string>): void {
  const iterations = runs
    .iterationsOf(node, path)
    .map(({ index }) => new GraphRuns(node.body, [...path, index], runs, span))
    .flatMap((scope) => {
      const times = scope.times();
      return times === null ? [] : [{ scope, ...times }];
    })
    .toSorted((a, b) => b.ended - a.ended);
  let nextBegan = Number.POSITIVE_INFINITY;
  for (const { scope, begun, ended } of iterations) {
    if (ended > nextBegan) continue;
    followBack(scope, found);
    nextBegan = begun;
  }
}

/** The node runs of one graph: of the definition, or of one iteration. */
export class GraphRuns {
  readonly graph: Graph;
  readonly path: IterationPath;
  readonly runs: RunsByPlace;
  readonly span: Span;
  /** The end of each node that ran in this execution, or now while it goes on. */
  readonly #ends = new Map<string, number>();

  constructor(graph: Graph, path: IterationPath, runs: RunsByPlace, span: Span) {
    this.graph = graph;
    this.path = path;
    this.runs = runs;
    this.span = span;
    for (const { id } of graph.nodes) {
      const run = runs.at(id, path);
      const ended = run === null ? null : endedAt(run, span.now);
      if (ended !== null && ended >= span.from) this.#ends.set(id, ended);
    }
  }

  at(nodeId: string): NodeRunView | null {
    return this.runs.at(nodeId, this.path);
  }

  /** It ended in the execution that this one retries. */
  isKept(nodeId: string): boolean {
    const run = this.at(nodeId);
    return run !== null && beganAt(run) !== null && !this.#ends.has(nodeId);
  }

  /** When the first node began and the last one ended. */
  times(): { begun: number; ended: number } | null {
    const begun = [...this.#ends.keys()].map((id) => this.beganAt(id) ?? Number.POSITIVE_INFINITY);
    return begun.length === 0 ? null : { begun: Math.min(...begun), ended: Math.max(...this.#ends.values()) };
  }

  /** When a node began; null if it did not run in this execution. */
  beganAt(nodeId: string): number | null {
    const run = this.#ends.has(nodeId) ? this.at(nodeId) : null;
    return run === null ? null : beganAt(run);
  }

  /** When a node ended, or now while it goes on; null if it did not run in this execution. */
  endedAt(nodeId: string): number | null {
    return this.#ends.get(nodeId) ?? null;
  }

  /** The node for whose end this one waited; null for a node that began with its graph. */
  before(nodeId: string): string | null {
    return this.#latest(this.#awaited(nodeId));
  }

  /** The node that ended last. */
  last(): string | null {
    const awaited = new Set([...this.#ends.keys()].flatMap((id) => this.#awaited(id)));
    return this.#latest([...this.#ends.keys()].filter((id) => !awaited.has(id)));
  }

  /** The nodes for whose ends a node waits, also of edges that were not taken. A skipped node waits in the same way. */
  #awaited(nodeId: string): string[] {
    const reached = new Set(this.#sourcesOf(nodeId));
    for (const id of reached) {
      if (this.at(id)?.status === "skipped") for (const source of this.#sourcesOf(id)) reached.add(source);
    }
    return [...reached].filter((id) => this.#ends.has(id));
  }

  #sourcesOf(nodeId: string): readonly string[] {
    const entered = sourcesIn(this.graph).get(nodeId);
    if (entered !== undefined) return entered;
    const type = this.graph.nodes.find(({ id }) => id === nodeId)?.type;
    return type === "errorHandler" ? failedNodeOf(this.at(nodeId)) : [];
  }

  #latest(nodeIds: readonly string[]): string | null {
    return nodeIds.reduce<string | null>(
      (latest, id) => (latest === null || (this.endedAt(id) ?? 0) >= (this.endedAt(latest) ?? 0) ? id : latest),
      null,
    );
  }
}

const sourcesByGraph = new WeakMap<Graph, ReadonlyMap<string, readonly string[]>>();

/** By node, the nodes from which edges lead to it. The iterations of a forEach share one body. */
function sourcesIn(graph: Graph): ReadonlyMap<string, readonly string[]> {
  const known = sourcesByGraph.get(graph);
  if (known !== undefined) return known;
  const sources = new Map<string, string[]>();
  for (const { from, to } of graph.edges) sources.set(to, [...(sources.get(to) ?? []), from]);
  sourcesByGraph.set(graph, sources);
  return sources;
}

/** An errorHandler without incoming edges names the node that failed in its output. */
function failedNodeOf(run: NodeRunView | null): string[] {
  const output = run?.output ?? null;
  const nodeId = typeof output === "object" && output !== null && "nodeId" in output ? output["nodeId"] : null;
  return typeof nodeId === "string" ? [nodeId] : [];
}
