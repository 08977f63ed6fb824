import type { NodeRunStatus, NodeRunView } from "../../../schema/contract/execution.ts";
import type { ForEachNode, Graph, Node } from "../../../schema/contract/workflow.ts";
import { ownValue } from "../../../worker/domain/own-value.ts";

/** A node run's place inside of forEach nodes: the index in each, outermost first; empty outside of any. */
export type IterationPath = readonly number[];

/** The iteration that a person chose, by the id of its forEach. */
export type Chosen = ReadonlyMap<string, number>;

export interface Iteration {
  index: number;
  status: NodeRunStatus;
}

export interface Occurrence {
  node: Node;
  /** Null before the node is reached: its iteration has not begun. */
  run: NodeRunView | null;
  path: IterationPath;
  depth: number;
  /** The node failed, and an edge or an error handler handled the failure. */
  handled: boolean;
  /** Of a forEach: its iterations so far, by index, and the one that is shown. */
  iterations: readonly Iteration[];
  current: number | null;
}

/** The node runs of an execution, by node and iteration. */
export class RunsByPlace {
  readonly #runs: ReadonlyMap<string, NodeRunView>;
  readonly #indexes = new Map<string, Set<number>>();

  constructor(nodeRuns: readonly NodeRunView[]) {
    this.#runs = new Map(nodeRuns.map((run) => [keyOf(run.nodeId, run.iteration ?? []), run]));
    for (const { nodeId, iteration = [] } of nodeRuns) {
      const last = iteration.at(-1);
      if (last === undefined) continue;
      const key = keyOf(nodeId, iteration.slice(0, -1));
      const indexes = this.#indexes.get(key) ?? new Set();
      this.#indexes.set(key, indexes.add(last));
    }
  }

  at(nodeId: string, path: IterationPath): NodeRunView | null {
    return this.#runs.get(keyOf(nodeId, path)) ?? null;
  }

  /** The iterations of this forEach that have begun. */
  iterationsOf({ body }: ForEachNode, path: IterationPath): Iteration[] {
    const indexes = new Set(body.nodes.flatMap(({ id }) => [...(this.#indexes.get(keyOf(id, path)) ?? [])]));
    return [...indexes]
      .sort((a, b) => a - b)
      .map((index) => ({ index, status: this.#iterationStatus(body, [...path, index]) }));
  }

  #iterationStatus(body: Graph, path: IterationPath): NodeRunStatus {
    const runs = body.nodes.flatMap(({ id }) => this.at(id, path) ?? []);
    const has = (status: NodeRunStatus) => runs.some((run) => run.status === status);
    if (has("running")) return "running";
    if (has("waiting")) return "waiting";
    if (has("pending")) return "running";
    const failed = runs.filter((run) => hasFailed(run.status) && !isHandled(body, runs, run));
    if (failed.some(({ status }) => status === "cancelled")) return "cancelled";
    return failed.length > 0 ? "failed" : "succeeded";
  }
}

/** How many items of a forEach were not started, because others failed. */
export function notStarted(run: NodeRunView | null): number {
  const left = ownValue(run?.output ?? {}, ["notStarted"]);
  return typeof left === "number" ? left : 0;
}

export function hasFailed(status: NodeRunStatus): boolean {
  return status === "failed" || status === "timed_out" || status === "cancelled";
}

/** Whether an edge or the graph's error handler handled a failure. */
export function isHandled(graph: Graph, runs: readonly NodeRunView[], { nodeId, outcome }: NodeRunView): boolean {
  if (graph.edges.some(({ from, on }) => from === nodeId && on === outcome)) return true;
  const entered = new Set(graph.edges.map(({ to }) => to));
  return graph.nodes.some(({ id, type }) => {
    if (type !== "errorHandler" || entered.has(id)) return false;
    const output = runs.find((run) => run.nodeId === id)?.output ?? null;
    return typeof output === "object" && output !== null && "nodeId" in output && output["nodeId"] === nodeId;
  });
}

/**
 * Every node of a definition once, in order, with its run in the shown iterations: the chosen one, otherwise the first
 * that failed, otherwise the first that has not ended, otherwise the first.
 */
export function occurrences(definition: Graph, nodeRuns: readonly NodeRunView[], chosen: Chosen): Occurrence[] {
  const runs = new RunsByPlace(nodeRuns);
  const found: Occurrence[] = [];
  const visit = (graph: Graph, path: IterationPath | null, depth: number) => {
    const here = path === null ? [] : graph.nodes.flatMap(({ id }) => runs.at(id, path) ?? []);
    for (const node of graph.nodes) {
      const run = here.find(({ nodeId }) => nodeId === node.id) ?? null;
      const handled = run !== null && hasFailed(run.status) && isHandled(graph, here, run);
      const iterations = node.type === "forEach" && path !== null ? runs.iterationsOf(node, path) : [];
      const current = currentOf(iterations, chosen.get(node.id));
      found.push({ node, run, path: path ?? [], depth, handled, iterations, current });
      if (node.type === "forEach") {
        visit(node.body, path === null || current === null ? null : [...path, current], depth + 1);
      }
    }
  };
  visit(definition, [], 0);
  return found;
}

function currentOf(iterations: readonly Iteration[], chosen: number | undefined): number | null {
  if (iterations.some(({ index }) => index === chosen)) return chosen ?? null;
  const first = (...statuses: NodeRunStatus[]) => iterations.find(({ status }) => statuses.includes(status))?.index;
  return first("failed") ?? first("waiting", "running") ?? iterations[0]?.index ?? null;
}

function keyOf(nodeId: string, path: IterationPath): string {
  return `${nodeId} ${path.join(".")}`;
}

/** Every node of a graph and of the forEach bodies in it. */
export function allNodes(graph: Graph | null): Node[] {
  return (graph?.nodes ?? []).flatMap((node) => (node.type === "forEach" ? [node, ...allNodes(node.body)] : [node]));
}

/** The forEach nodes around a node, outermost first, or null when the definition does not have the node. */
export function chainTo(graph: Graph, nodeId: string): Node[] | null {
  for (const node of graph.nodes) {
    if (node.id === nodeId) return [];
    const inside = node.type === "forEach" ? chainTo(node.body, nodeId) : null;
    if (inside !== null) return [node, ...inside];
  }
  return null;
}

/** The chosen iterations for a node and the path to it. The path to a forEach may end with its own iteration. */
export function chosenBy(definition: Graph, nodeId: string | null, path: IterationPath): Chosen {
  if (nodeId === null) return new Map();
  const chain = [...(chainTo(definition, nodeId) ?? []).map(({ id }) => id), nodeId];
  return new Map(path.flatMap((index, level) => (chain[level] === undefined ? [] : [[chain[level], index] as const])));
}

/** The node to show without a choice: one that failed, otherwise waits, otherwise runs, otherwise ended last. */
export function mostUseful(found: readonly Occurrence[]): Occurrence | null {
  const first = (...statuses: NodeRunStatus[]) =>
    found.find(
      ({ run, node, handled }) => !handled && run !== null && node.type !== "forEach" && statuses.includes(run.status),
    );
  const ended = found.filter(({ run }) => run?.timeline.finishedAt != null);
  return (
    first("failed", "timed_out") ??
    first("waiting") ??
    first("running") ??
    first("cancelled") ??
    ended.toSorted((a, b) => endOf(a).localeCompare(endOf(b))).at(-1) ??
    null
  );
}

function endOf({ run }: Occurrence): string {
  return run?.timeline.finishedAt ?? "";
}
