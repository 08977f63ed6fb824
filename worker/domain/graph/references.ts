import { CUT } from "../../../schema/contract/action-outputs.ts";
import { ACTIONS } from "../../../schema/contract/action.ts";
import { SO_FAR } from "../../../schema/contract/for-each.ts";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import { payloadNames } from "../../../schema/contract/webhook-trigger.ts";
import type { PayloadNames } from "../../../schema/contract/webhook-trigger.ts";
import type { Node, Trigger, TriggerType } from "../../../schema/contract/workflow.ts";
import { failedNamesAfter, failedProblem } from "../failed-execution.ts";
import { INCIDENT_FIELDS, isIncidentField } from "../incident/fields.ts";
import { indexOf } from "./graph-index.ts";
import type { GraphIndex } from "./graph-index.ts";
import { misspeltFix } from "./misspelt.ts";
import { firstErrors } from "../shown-errors.ts";
import { FAILURE_FIELDS } from "../template/resolve-path.ts";
import { readsSensitive } from "../sensitive.ts";
import type { Steps } from "../steps.ts";
import { outsideCheck } from "../outside-check.ts";
import { belowScalar } from "./below-scalar.ts";
import { referencesOf } from "./node-references.ts";
import type { Reference } from "./node-references.ts";
import type { PlacedGraph } from "./walk.ts";

/** The roots that each trigger provides (docs/design/templates.md#names). */
const TRIGGER_ROOTS = {
  webhook: ["webhook", "inputs"],
  manual: ["inputs", "webhook"],
  incident: ["incident"],
  cron: ["cron"],
  failure: ["failed"],
} as const satisfies Record<TriggerType, readonly string[]>;
const WORKFLOW_KINDS = {
  webhook: "a workflow with a webhook trigger",
  manual: "a manual workflow",
  incident: "an incident workflow",
  cron: "a scheduled workflow",
  failure: "a failure workflow",
} as const satisfies Record<TriggerType, string>;

const SENSITIVE_TARGET = "a sensitive value cannot be part of a target, because the target is shown";
const FOREACH_FIELDS = ["item", "index", "total", "parent"];
const NODE_FIELDS = new Set(["output", "status", "exitCode"]);
const ERROR_FIELDS = new Set([...Object.keys(FAILURE_FIELDS), "output"]);

/** Checks that the names in templates can have a value when their node runs; with several triggers, by any of them. */
export function checkReferences(placed: PlacedGraph, triggers: readonly Trigger[], steps: Steps): FieldError[] {
  return placed.graph.nodes.flatMap((node, index) => {
    const references = referencesOf(node, steps);
    if (references.length === 0) return [];
    const problemsAt = triggers.map((trigger) => referenceProblems(placed, node.id, trigger));
    const problemAt = ({ at, template, inCheck = false }: Reference): string | null => {
      if (at === "target" && triggers.some((trigger) => readsSensitive(trigger, template.path)))
        return SENSITIVE_TARGET;
      const [message = null, ...others] = problemsAt.map((problemOfTrigger) =>
        problemOfTrigger(template.path, inCheck),
      );
      return others.every((other) => other === message) ? message : null;
    };
    const wrong = references.filter((reference) => problemAt(reference) !== null);
    return firstErrors(wrong, (reference) => {
      const path = `nodes.${index}.${reference.at}`;
      const fix = fixOf(placed, node, triggers, reference, path, steps);
      const message = `${reference.template.source}: ${problemAt(reference)}`;
      return [{ path, message, ...(fix === null ? {} : { fix }) }];
    });
  });
}

/**
 * Returns the reason why a path cannot have a value when this node runs, or in its check between batches; null for a
 * path that can.
 */
export function referenceProblems(
  placed: PlacedGraph,
  nodeId: string,
  trigger: Trigger,
): (path: readonly string[], inCheck?: boolean) => string | null {
  const views = viewsFrom(placed, nodeId);
  return (path, inCheck = false) => {
    const outer = inCheck ? outsideCheck(path) : path;
    return (outer === null ? soFarProblem(path) : problemOf(outer, views, trigger)) ?? belowScalar(path, trigger);
  };
}

/** The same for a path of `foreach` in a check. */
function soFarProblem([, name = ""]: readonly string[]): string | null {
  const names: readonly string[] = SO_FAR;
  return names.includes(name)
    ? null
    : `in a check, foreach has ${SO_FAR.join(", ")} and, inside another For each, parent`;
}

/** The fix of a misspelt name. With several triggers, another name could be right for each. */
function fixOf(
  placed: PlacedGraph,
  node: Node,
  [trigger, ...others]: readonly Trigger[],
  { template, start = template.at, inCheck = false }: Reference,
  path: string,
  steps: Steps,
): Fix | null {
  if (trigger === undefined || others.length > 0) return null;
  const views = viewsFrom(placed, node.id);
  const problemAt = referenceProblems(placed, node.id, trigger);
  const names = {
    after: (before: readonly string[]) =>
      inCheck && before.join(".") === "foreach" ? SO_FAR : namesAfter(before, views, trigger),
    problemOf: (path: readonly string[]) => problemAt(path, inCheck),
  };
  return misspeltFix(template, path, start, names, steps);
}

/** The known names that may follow a path. */
function namesAfter(
  [root, id, field, ...rest]: readonly string[],
  views: readonly GraphView[],
  trigger: Trigger,
): readonly string[] {
  if (root === undefined) return [...TRIGGER_ROOTS[trigger.type], "nodes", "foreach", "error"];
  if (root === "nodes" && id !== undefined) {
    if (field === undefined) return [...NODE_FIELDS];
    const node = views.find(({ graph }) => graph.nodes.has(id))?.graph.nodes.get(id)?.node;
    return field === "output" && rest.length === 0 && node?.type === "action"
      ? Object.keys(ACTIONS[node.action].output)
      : [];
  }
  if (root === "nodes") return views.flatMap(({ graph }) => [...graph.nodes.keys()]);
  if (root === "foreach") return FOREACH_FIELDS;
  if (root === "failed") return failedNamesAfter([id, field, ...rest].filter((name) => name !== undefined));
  const names = trigger.type === "webhook" && isVariables(root) ? payloadNames(trigger) : null;
  if (names !== null && field === undefined) return namesOf(names, id);
  if (id !== undefined) return [];
  if (root === "error") return [...ERROR_FIELDS];
  if (root === "cron") return ["scheduledAt"];
  if (root === "incident") return [...INCIDENT_FIELDS, "tags", "batch"];
  return root === "inputs" && trigger.type === "manual" ? Object.keys(trigger.inputs ?? {}) : [];
}

/** The same for a text that is filled in before the first node. */
export function triggerPathProblem(path: readonly string[], trigger: Trigger): string | null {
  const [root = ""] = path;
  if (root === "nodes" || root === "foreach" || root === "error") {
    return `no step has run yet: use ${TRIGGER_ROOTS[trigger.type].join(" or ")}`;
  }
  return problemOf(path, [], trigger) ?? belowScalar(path, trigger);
}

function problemOf(
  [root = "", ...path]: readonly string[],
  views: readonly GraphView[],
  trigger: Trigger,
): string | null {
  if (root === "nodes") return nodeProblem(path, views);
  if (root === "foreach") return forEachProblem(path, views.length - 1);
  if (root === "error") {
    if (!views.some(({ afterFailure }) => afterFailure)) {
      return "error is known only after an error handler or a failure edge";
    }
    return path[0] !== undefined && ERROR_FIELDS.has(path[0]) ? null : `error has ${[...ERROR_FIELDS].join(", ")}`;
  }
  const roots: readonly string[] = TRIGGER_ROOTS[trigger.type];
  if (!roots.includes(root)) {
    return `${WORKFLOW_KINDS[trigger.type]} has no ${root}: use ${roots.join(", ")} or nodes`;
  }
  if (root === "cron" && path[0] !== "scheduledAt") return "cron has scheduledAt";
  if (root === "failed") return failedProblem(path);
  const [name] = path;
  if (name === undefined) return null;
  if (root === "incident" && name !== "tags" && name !== "batch" && !isIncidentField(name)) {
    return `an incident has ${INCIDENT_FIELDS.join(", ")}, batch and tags.<key>`;
  }
  if (trigger.type === "webhook" && isVariables(root)) return payloadProblem(path, payloadNames(trigger));
  if (root !== "inputs" || trigger.type !== "manual" || trigger.inputs === undefined) return null;
  if (Object.hasOwn(trigger.inputs, name)) return null;
  return `the trigger declares ${Object.keys(trigger.inputs).join(", ") || "no inputs"}, not ${name}`;
}

/** `webhook` and `inputs` are the same variables. */
function isVariables(root: string): boolean {
  return root === "webhook" || root === "inputs";
}

/** The names that may follow `webhook`, or `webhook.<part>`. */
function namesOf(names: PayloadNames, part: string | undefined): readonly string[] {
  if (part === undefined) return ["body", ...Object.keys(names)];
  return part === "headers" || part === "query" ? names[part] : [];
}

function payloadProblem([part = "", name]: readonly string[], names: PayloadNames | null): string | null {
  if (names === null || part === "body") return null;
  if (part !== "headers" && part !== "query") return "a webhook whose payload is the body has body, headers and query";
  if (name === undefined || names[part].includes(name)) return null;
  return `the trigger names ${names[part].join(", ") || "none"} in ${part}, not ${name}`;
}

function forEachProblem([field, ...rest]: readonly string[], depth: number): string | null {
  if (depth === 0) return "foreach is known only inside a For each step";
  if (field === "parent") {
    return depth === 1 ? "there is no For each around this one" : forEachProblem(rest, depth - 1);
  }
  if (field === "item" || field === "index" || field === "total") return null;
  return "foreach has item, index, total and, inside another For each, parent";
}

function nodeProblem([nodeId = "", field, name]: readonly string[], views: readonly GraphView[]): string | null {
  const [here] = views;
  const seen = views.find(({ graph }) => graph.nodes.has(nodeId));
  if (here === undefined || seen === undefined) return `there is no step ${nodeId} that this step could use`;
  if (nodeId === seen.from) {
    return seen === here
      ? "a step cannot use its own result"
      : "the result of a For each is known only after its steps have ended";
  }
  if (!seen.earlier.has(nodeId)) return `${nodeId} does not run before this step: add an edge from it to this step`;
  if (field === undefined || !NODE_FIELDS.has(field)) return `a step has ${[...NODE_FIELDS].join(", ")}`;
  return field === "output" && name !== undefined ? outputProblem(seen.graph.nodes.get(nodeId)?.node, name) : null;
}

/** An action's contract lists its outputs, and a cut output has the names of `CUT`. Other nodes may have any output. */
function outputProblem(node: Node | undefined, name: string): string | null {
  if (node?.type !== "action" || Object.hasOwn(CUT, name)) return null;
  const outputs = Object.keys(ACTIONS[node.action].output);
  return outputs.includes(name) ? null : `${node.action} gives ${outputs.join(", ")}, not ${name}`;
}

/** A node's view of one graph: its own, or an outer graph, where its forEach represents it. */
interface GraphView {
  readonly graph: GraphIndex;
  readonly from: string;
  /** The nodes that may have ended when this one runs. */
  readonly earlier: ReadonlySet<string>;
  readonly afterFailure: boolean;
}

/** The node's own graph first, then the graphs around it. */
function viewsFrom(placed: PlacedGraph, nodeId: string): GraphView[] {
  const graph = indexOf(placed.graph);
  const own: GraphView = {
    graph,
    from: nodeId,
    earlier: earlierNodes(nodeId, graph),
    afterFailure: nodesAfterFailure(graph).has(nodeId),
  };
  return placed.parent === null ? [own] : [own, ...viewsFrom(placed.parent.placed, placed.parent.forEachId)];
}

/** The nodes that may have ended before this one: those that lead to it; after a root handler, all before it. */
function earlierNodes(nodeId: string, graph: GraphIndex): Set<string> {
  const earlier = new Set([nodeId]);
  for (const id of earlier)
    for (const edge of graph.nodes.get(id)?.incoming ?? []) if (graph.nodes.has(edge.from)) earlier.add(edge.from);
  if (graph.rootHandler !== null && earlier.has(graph.rootHandler)) {
    for (const id of graph.nodes.keys()) if (!graph.behindHandler.has(id)) earlier.add(id);
  }
  return earlier;
}

/** Cached, because every node of a graph has the same set. */
const afterFailureIn = new WeakMap<GraphIndex, ReadonlySet<string>>();

function nodesAfterFailure(graph: GraphIndex): ReadonlySet<string> {
  const known = afterFailureIn.get(graph);
  if (known !== undefined) return known;
  const after = new Set<string>();
  afterFailureIn.set(graph, after);
  if (graph.rootHandler !== null) after.add(graph.rootHandler);
  for (const { incoming } of graph.nodes.values())
    for (const edge of incoming) if (edge.on === "failure" || edge.on === "rejected") after.add(edge.to);
  for (const id of after) for (const edge of graph.nodes.get(id)?.outgoing ?? []) after.add(edge.to);
  return after;
}
