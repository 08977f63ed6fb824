import type { GivenNode, ItemProblem, NodePreview, Runs } from "../../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Definition, Graph, Node, Outcome } from "../../../schema/contract/workflow.ts";
import { DRY_RUN_ITEMS_MAX, DRY_RUN_PROBLEMS_MAX } from "../../../schema/limits.ts";
import { previewNode } from "./node.ts";
import type { ConnectionOf, NodeContent } from "./node.ts";
import { takes, unhandledFailure } from "./scope.ts";
import type { DryScope } from "./scope.ts";
import { jsonBytes } from "../json-bytes.ts";
import { indexOf } from "../graph/graph-index.ts";
import type { GraphIndex, IndexedNode } from "../graph/graph-index.ts";
import { shorten } from "../shown-errors.ts";
import { Steps, TooComplex } from "../steps.ts";
import { textOf } from "../template/value.ts";

/** About 50 ms, in addition to the check and the first item. */
const FURTHER_STEPS_MAX = 500_000;
const STEPS_OF_NODE = 100;
const ITEM_MAX_CHARS = 200;
/** A limit for all previews together, since hundreds of nodes may show the same value. */
const PREVIEW_MAX_BYTES = 4 * 1_024 * 1_024;

export interface DryRun {
  readonly trigger: ExecutionTrigger;
  /** The assumed ends of nodes, by node id. */
  readonly nodes: Readonly<Record<string, GivenNode>>;
  readonly connectionOf?: ConnectionOf;
}

/**
 * What every node would do with these data, in the order of execution; of a forEach, the first item's, with
 * the problems of later ones. Nothing is run: actions succeed unless something else is given, and anything that depends on results that are not given stays
 * unknown. The graph must be free of cycles; throws `TooComplex`.
 */
export function dryRun(definition: Definition, data: DryRun, steps: Steps = new Steps()): NodePreview[] {
  const shown: Shown = { previews: [], bytes: 0 };
  const further = new Steps(FURTHER_STEPS_MAX);
  const walk: Walk = { data, steps, further, isFurther: false, emit: (preview) => push(shown, preview) };
  visitGraph(walk, definition, null, "yes", []);
  return shown.previews;
}

interface Walk {
  readonly data: DryRun;
  readonly steps: Steps;
  /** The budget for later items than the first. */
  readonly further: Steps;
  /** Whether this is a later item, or inside of one. */
  readonly isFurther: boolean;
  readonly emit: (preview: NodePreview) => void;
}

interface Shown {
  readonly previews: NodePreview[];
  bytes: number;
}

function visitGraph(
  walk: Walk,
  graph: Graph,
  parent: DryScope["parent"],
  entered: Runs,
  iteration: readonly number[],
): void {
  const index = indexOf(graph);
  const scope: DryScope = { index, trigger: walk.data.trigger, results: new Map(), failures: new Map(), parent };
  for (const indexed of inOrder(index)) visitNode(walk, scope, indexed, entered, iteration);
}

function visitNode(
  walk: Walk,
  scope: DryScope,
  indexed: IndexedNode,
  entered: Runs,
  iteration: readonly number[],
): void {
  const { node } = indexed;
  if (walk.isFurther) walk.steps.spend(STEPS_OF_NODE);
  const runs = runsOf(scope, indexed, entered);
  const { content, items } = previewNode(scope, node, walk.steps, walk.data.connectionOf);
  const given = Object.hasOwn(walk.data.nodes, node.id) ? walk.data.nodes[node.id] : undefined;
  const { outcome, outcomeBy } = outcomeOf(node, content, given);
  const status = statusOf(indexed, runs, outcome, given);
  const error = given?.error ?? content.error ?? {};
  const output = runs === "no" ? null : outputOf(node, given, outcome);
  scope.results.set(node.id, { node, runs, status, outcome, given, error, output });
  const preview = {
    nodeId: node.id,
    type: node.type,
    iteration: [...iteration],
    runs,
    outcome: runs === "no" ? null : outcome,
    outcomeBy: runs === "no" ? null : outcomeBy,
  };
  walk.emit({ ...preview, ...content });
  if (node.type !== "forEach") return;
  const inside: Runs =
    runs === "yes" && items === null && content.error === null
      ? "unknown"
      : items?.length === 0 || content.error !== null
        ? "no"
        : runs;
  const parent = { scope, forEachId: node.id, items, index: 0 };
  visitGraph(walk, node.body, parent, inside, [...iteration, 0]);
  if (items === null || inside === "no" || content.forEach === undefined) return;
  visitFurther(walk, content.forEach, items, (further, index) =>
    visitGraph(further, node.body, { ...parent, index }, inside, [...iteration, index]),
  );
}

/** Looks for problems of later items, as far as the budget lasts. Those inside of a later item belong to its forEach. */
function visitFurther(
  walk: Walk,
  found: NonNullable<NodePreview["forEach"]>,
  items: readonly JsonValue[],
  visit: (walk: Walk, index: number) => void,
): void {
  found.checked = 1;
  for (const [index, value] of items.slice(0, DRY_RUN_ITEMS_MAX).entries()) {
    if (index === 0) continue;
    const note = (preview: NodePreview) => noteProblem(found.problems, value, preview);
    try {
      visit({ ...walk, steps: walk.further, isFurther: true, emit: walk.isFurther ? walk.emit : note }, index);
    } catch (error) {
      if (walk.isFurther || !(error instanceof TooComplex)) throw error;
      return;
    }
    found.checked = index + 1;
  }
}

function noteProblem(problems: ItemProblem[], item: JsonValue, preview: NodePreview): void {
  const { nodeId, iteration, runs, error } = preview;
  if (error === null || runs === "no" || problems.length >= DRY_RUN_PROBLEMS_MAX) return;
  problems.push({ iteration, item: shorten(textOf(item), ITEM_MAX_CHARS), nodeId, error });
}

function push(shown: Shown, preview: NodePreview): void {
  const bytes = jsonBytes(preview);
  shown.bytes += bytes;
  if (shown.bytes <= PREVIEW_MAX_BYTES) {
    shown.previews.push(preview);
    return;
  }
  const { nodeId, type, iteration, runs, outcome, outcomeBy } = preview;
  shown.bytes -= bytes;
  shown.previews.push({
    nodeId,
    type,
    iteration,
    runs,
    outcome,
    outcomeBy,
    templates: [],
    unresolved: [],
    error: {
      code: "preview_too_large",
      message: "The preview is too large to show in full. Use smaller sample data.",
    },
  });
}

/** The engine's rule: all edges are settled, and one is taken. */
function runsOf(scope: DryScope, { node, incoming }: IndexedNode, entered: Runs): Runs {
  if (entered === "no") return "no";
  if (node.id === scope.index.rootHandler) return handlerRuns(scope, entered);
  if (incoming.length === 0) return entered;
  const taken = new Set(incoming.map((edge) => takes(scope, edge)));
  if (taken.has(true)) return "yes";
  return taken.has(null) ? "unknown" : "no";
}

/** A root handler runs after a failure that no edge takes. */
function handlerRuns(scope: DryScope, entered: Runs): Runs {
  const failed = unhandledFailure(scope);
  if (failed === null) return "no";
  return entered === "yes" ? failed.runs : "unknown";
}

function outcomeOf(
  node: Node,
  content: NodeContent,
  given: GivenNode | undefined,
): Pick<NodePreview, "outcome" | "outcomeBy"> {
  if (given?.outcome !== undefined) return { outcome: given.outcome, outcomeBy: "given" };
  const failed = given?.status !== undefined && given.status !== "succeeded";
  switch (node.type) {
    case "condition": {
      const holds = content.condition?.holds ?? null;
      return holds === null
        ? { outcome: null, outcomeBy: null }
        : { outcome: holds ? "true" : "false", outcomeBy: "evaluated" };
    }
    case "approval":
      // A person decides, so the outcome is unknown.
      if (given?.status === undefined) return { outcome: null, outcomeBy: null };
      return { outcome: failed ? "rejected" : "approved", outcomeBy: "given" };
    case "action":
    case "forEach":
    case "workflow":
      if (given?.status !== undefined) return { outcome: failed ? "failure" : "success", outcomeBy: "given" };
      return content.error === null ? ASSUMED_SUCCESS : { outcome: "failure", outcomeBy: "evaluated" };
    case "delay":
    case "errorHandler":
      return { outcome: "success", outcomeBy: "evaluated" };
  }
}

const ASSUMED_SUCCESS = { outcome: "success", outcomeBy: "assumed" } as const satisfies {
  outcome: Outcome;
  outcomeBy: NodePreview["outcomeBy"];
};

/** A rejection that no edge takes is a failure, as in the engine. */
function statusOf(
  { outgoing }: IndexedNode,
  runs: Runs,
  outcome: Outcome | null,
  given: GivenNode | undefined,
): string {
  if (runs === "no") return "skipped";
  const isRejected = outcome === "rejected" && outgoing.every(({ on }) => on !== "rejected");
  return given?.status ?? (outcome === "failure" || isRejected ? "failed" : "succeeded");
}

/** Undefined for an unknown output. A delay has none. */
function outputOf({ type }: Node, given: GivenNode | undefined, outcome: Outcome | null): JsonValue | undefined {
  if (given?.output !== undefined || type === "delay") return given?.output ?? null;
  return type === "condition" && outcome !== null ? { result: outcome === "true" } : undefined;
}

/** Each node after all nodes that lead to it; the handler of unhandled failures, and the nodes after it, at the end. */
function inOrder({ nodes, rootHandler, behindHandler }: GraphIndex): IndexedNode[] {
  const waiting = new Map([...nodes].map(([id, { incoming }]) => [id, incoming.length]));
  const order: IndexedNode[] = [];
  const visit = (start: string) => {
    const ready = [start];
    for (const id of ready) {
      const indexed = nodes.get(id);
      if (indexed === undefined) continue;
      order.push(indexed);
      for (const { to } of indexed.outgoing) {
        const left = (waiting.get(to) ?? 0) - 1;
        waiting.set(to, left);
        if (left === 0) ready.push(to);
      }
    }
  };
  for (const [id, { incoming }] of nodes) if (incoming.length === 0 && !behindHandler.has(id)) visit(id);
  if (rootHandler !== null) visit(rootHandler);
  return order;
}
