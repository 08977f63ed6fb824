import type { ExecutionView, NodeRunStatus, NodeRunView } from "../../../../schema/contract/execution.ts";
import type { ForEachNode, Graph, Node } from "../../../../schema/contract/workflow.ts";
import { RunsByPlace, chainTo, hasFailed } from "../iterations.ts";
import type { Iteration, IterationPath } from "../iterations.ts";
import { barOf } from "./bars.ts";
import type { BarPart } from "./bars.ts";
import { criticalPath, GraphRuns } from "./critical-path.ts";

/** A step, or an iteration of a forEach with all its steps. */
export interface TimelineRow {
  key: string;
  node: Node;
  /** The row is for an iteration of `node`: the item's index is the last one of `path`. */
  isItem: boolean;
  path: IterationPath;
  depth: number;
  status: NodeRunStatus | null;
  /** The node run to show on a click: an iteration's is the one that failed, otherwise the first one. */
  run: NodeRunView | null;
  /** When it began, in epoch ms; null for one that did not run in this execution. */
  begun: number | null;
  /** Its bar. Of thousands of rows, only those in view need one. */
  parts: () => BarPart[];
  isCritical: boolean;
  /** It ended in the execution that this one retries. */
  isKept: boolean;
  /** Whether the rows inside of it are shown; null without such rows. */
  isOpen: boolean | null;
}

export interface Timeline {
  rows: readonly TimelineRow[];
  /** From the execution's start to its end, or to now; in epoch ms. */
  from: number;
  to: number;
}

/** Decides whether the rows inside of a row are shown. `inside`: their number. */
export type IsOpen = (row: { key: string; isItem: boolean; inside: number }) => boolean;

/** The keys of the rows around a step: a forEach and an iteration for each level. */
export function keysAround(definition: Graph, nodeId: string, path: IterationPath): ReadonlySet<string> {
  const chain = chainTo(definition, nodeId) ?? [];
  return new Set(
    chain.flatMap(({ id }, level) => [stepKey(id, path.slice(0, level)), itemKey(id, path.slice(0, level + 1))]),
  );
}

/** The rows of an execution's timeline, in the order in which they began. */
export function timelineOf(execution: ExecutionView, definition: Graph, now: number, isOpen: IsOpen): Timeline {
  const from = Date.parse(execution.startedAt);
  const until = Math.max(from, execution.finishedAt === null ? now : Date.parse(execution.finishedAt));
  const runs = new RunsByPlace(execution.nodeRuns);
  const span = { from: execution.retryOf === null ? Number.NEGATIVE_INFINITY : from, now: until };
  const critical = criticalPath(definition, runs, span);
  const whole = new GraphRuns(definition, [], runs, span);
  // A job that was cancelled may be reported after the execution's end.
  const to = Math.max(until, whole.times()?.ended ?? until);
  return { rows: rowsOf(whole, 0, { critical, isOpen }), from, to };
}

interface Look {
  critical: ReadonlySet<string>;
  isOpen: IsOpen;
}

function rowsOf(scope: GraphRuns, depth: number, look: Look): TimelineRow[] {
  const { graph, path, runs } = scope;
  const steps = graph.nodes.map((node) => {
    const run = scope.at(node.id);
    const iterations = node.type === "forEach" ? runs.iterationsOf(node, path) : [];
    const key = stepKey(node.id, path);
    const row: TimelineRow = {
      key,
      isItem: false,
      node,
      path,
      depth,
      status: run?.status ?? null,
      run,
      begun: scope.beganAt(node.id),
      parts: () => partsOf(scope, node),
      isCritical: run !== null && look.critical.has(run.id),
      isKept: scope.isKept(node.id),
      isOpen: iterations.length === 0 ? null : look.isOpen({ key, isItem: false, inside: iterations.length }),
    };
    return { row, node, iterations };
  });
  steps.sort((a, b) => orderOf(a.row) - orderOf(b.row));
  return steps.flatMap(({ row, node, iterations }) =>
    node.type === "forEach" && row.isOpen === true
      ? [row, ...iterations.flatMap((iteration) => itemRows(scope, node, iteration, { depth: depth + 1, look }))]
      : [row],
  );
}

function itemRows(
  { path: outer, runs, span }: GraphRuns,
  node: ForEachNode,
  { index, status }: Iteration,
  { depth, look }: { depth: number; look: Look },
): TimelineRow[] {
  const path = [...outer, index];
  const scope = new GraphRuns(node.body, path, runs, span);
  const { nodes } = node.body;
  const own = nodes.flatMap(({ id }) => scope.at(id) ?? []);
  const key = itemKey(node.id, path);
  // The only step of an iteration would repeat its row.
  const isGroup = nodes.length > 1 || nodes[0]?.type === "forEach";
  const row: TimelineRow = {
    key,
    isItem: true,
    node,
    path,
    depth,
    status,
    run: own.find((run) => hasFailed(run.status)) ?? own[0] ?? null,
    begun: scope.times()?.begun ?? null,
    parts: () => nodes.flatMap((each) => partsOf(scope, each)),
    isCritical: own.some(({ id }) => look.critical.has(id)),
    isKept: nodes.some(({ id }) => scope.isKept(id)),
    isOpen: isGroup ? look.isOpen({ key, isItem: true, inside: nodes.length }) : null,
  };
  return row.isOpen === true ? [row, ...rowsOf(scope, depth + 1, look)] : [row];
}

function partsOf(scope: GraphRuns, node: Node): BarPart[] {
  const run = scope.at(node.id);
  if (run === null || scope.isKept(node.id)) return [];
  const before = run.attempt > 1 ? scope.before(node.id) : null;
  return barOf(run, node.type, scope.span.now, before === null ? null : scope.endedAt(before));
}

/** Kept steps first, then in the order in which they began, and at the end those that were not reached. */
function orderOf({ isKept, begun }: TimelineRow): number {
  return isKept ? Number.NEGATIVE_INFINITY : (begun ?? Number.MAX_VALUE);
}

function stepKey(nodeId: string, path: IterationPath): string {
  return [nodeId, ...path].join(" ");
}

function itemKey(forEachId: string, path: IterationPath): string {
  return `${stepKey(forEachId, path)} item`;
}
