import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import type { GraphIndex } from "../graph/graph-index.ts";
import { ownValue } from "../own-value.ts";
import { outputValue } from "./output-json.ts";
import type { Resolve } from "./value.ts";

/** One graph whose nodes have templates, in an execution or a dry run: see `Scope` and `DryScope`. */
export interface PathScope<S> {
  readonly index: GraphIndex;
  readonly parent: { readonly scope: S; readonly forEachId: string } | null;
}

/** The facts about such graphs. A dry run does not know all of them. */
export interface PathView<S> {
  /** `startedAt` (epoch ms) is null in a dry run. */
  execution(scope: S): { readonly trigger: ExecutionTrigger; readonly startedAt: number | null };
  /** The state of a node of the graph; undefined before a dry run reaches it. */
  run(scope: S, nodeId: string): PathRun | undefined;
  /** The list of the forEach around the graph, null when it is unknown, and the index of this item. */
  items(scope: S): { readonly list: readonly JsonValue[] | null; readonly index: number };
  /** The failure that led to a node of the graph; null when there was none. */
  failureBehind(scope: S, nodeId: string): FailedNode | null;
}

/** An unknown output is undefined, and so is an unknown part of the error. */
export interface PathRun {
  readonly status: string;
  readonly output: JsonValue | undefined;
  readonly error: { readonly [K in keyof Failure]?: string | undefined } | null;
}

export interface FailedNode {
  readonly node: Node;
  readonly run: PathRun;
}

/** The value of a path, if it is known; undefined when the path does not resolve. */
export type Lookup =
  | { readonly known: true; readonly value: JsonValue | undefined }
  | { readonly known: false; readonly reason: string };

export type Look = (path: readonly string[]) => Lookup;

/** The fields of `error` other than `error.output`, and the kind of each. */
export const FAILURE_FIELDS = {
  nodeId: "text",
  actionType: "text",
  code: "text",
  message: "text",
  status: "text",
  exitCode: "a number",
  statusCode: "a number",
} as const;

/**
 * The value of a path in a template of a node, by the table of docs/design/templates.md#names, for engine and dry run.
 */
export function resolvePath<S extends PathScope<S>>(
  view: PathView<S>,
  scope: S,
  nodeId: string,
  [root, ...path]: readonly string[],
): Lookup {
  const { trigger, startedAt } = view.execution(scope);
  const variables = "variables" in trigger ? trigger.variables : undefined;
  switch (root) {
    case "webhook":
    case "inputs":
      return known(ownValue(variables, path));
    case "incident":
      return known(incidentValue(trigger.type === "incident" ? trigger.incident : variables?.["incident"], path));
    case "failed":
      return known(failedValue(trigger.type === "failure" ? trigger.failed : variables?.["failed"], path));
    case "cron":
      if (trigger.type === "cron") return known(ownValue({ scheduledAt: trigger.scheduledAt }, path));
      if (startedAt === null) return unknown("the start time is not known");
      return known(ownValue({ scheduledAt: new Date(startedAt).toISOString() }, path));
    case "foreach":
      return forEachValue(view, scope, path);
    case "nodes":
      return nodeValue(view, scope, path);
    case "error": {
      const failed = view.failureBehind(scope, nodeId);
      if (failed === null) return unknown("no node fails here: set nodes.<id>.status to failed");
      return failureValue(failed, path);
    }
    case undefined:
    default:
      return known(undefined);
  }
}

/** The same for rendering, where an unknown value is empty. */
export function valuesOf(look: Look): Resolve {
  return (path) => {
    const lookup = look(path);
    return lookup.known ? lookup.value : undefined;
  };
}

/** The value of `error.<path>` after a failure. */
export function failureValue({ node, run }: FailedNode, [field = "", ...path]: readonly string[]): Lookup {
  if (field === "output") return outputOf(node.id, run, path);
  if (field === "exitCode" || field === "statusCode") {
    const found = outputOf(node.id, run, [field, ...path]);
    return found.known ? known(found.value ?? undefined) : found;
  }
  const actionType = node.type === "action" ? node.action : node.type;
  const { code, message } = run.error ?? { code: "", message: "" };
  const texts: Record<string, string | undefined> = { nodeId: node.id, actionType, status: run.status, code, message };
  if (!Object.hasOwn(texts, field)) return known(undefined);
  const text = texts[field];
  return text === undefined
    ? unknown(`the failure of ${node.id} is not known: enter it as nodes.${node.id}.error.${field}`)
    : known(ownValue(text, path));
}

/**
 * A tag's name may have dots, as in `incident.tags.app.kubernetes.io/name`: the whole rest is looked up as one name
 * first (docs/design/workflows.md#incident-events).
 */
function incidentValue(incident: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [field, ...rest] = path;
  const tag = field === "tags" && rest.length > 1 ? ownValue(incident, ["tags", rest.join(".")]) : undefined;
  const value = tag ?? ownValue(incident, path);
  // An event that no other joined is a batch, too.
  return value === undefined && field === "batch" && incident !== undefined ? ownValue([incident], rest) : value;
}

function failedValue(failed: JsonValue | undefined, [field = "", ...path]: readonly string[]): JsonValue | undefined {
  const value = field === "" ? failed : ownValue(failed, [field]);
  return field === "incident" ? incidentValue(value, path) : ownValue(value, path);
}

function forEachValue<S extends PathScope<S>>(
  view: PathView<S>,
  scope: S,
  [field = "", ...path]: readonly string[],
): Lookup {
  if (scope.parent === null) return known(undefined);
  if (field === "parent") return forEachValue(view, scope.parent.scope, path);
  const { list, index } = view.items(scope);
  if (list === null) return unknown(`the list of ${scope.parent.forEachId} is not known`);
  if (field === "item") return known(ownValue(list[index], path));
  return known(ownValue({ index, total: list.length }, [field, ...path]));
}

function nodeValue<S extends PathScope<S>>(view: PathView<S>, scope: S, path: readonly string[]): Lookup {
  const [nodeId = "", field = "", ...below] = path;
  const { index, parent } = scope;
  if (!index.nodes.has(nodeId)) return parent === null ? known(undefined) : nodeValue(view, parent.scope, path);
  const run = view.run(scope, nodeId);
  if (field === "status") return known(ownValue(run?.status, below));
  if (field === "exitCode") return outputOf(nodeId, run, [field, ...below]);
  return field === "output" ? outputOf(nodeId, run, below) : known(undefined);
}

/** Null means no output, and counts as empty. */
function outputOf(nodeId: string, run: PathRun | undefined, path: readonly string[]): Lookup {
  if (run === undefined || run.output === null) return known(undefined);
  if (run.output !== undefined) return known(outputValue(run.output, path));
  return unknown(`the output of ${nodeId} is not known: enter it as nodes.${nodeId}.output`);
}

const known = (value: JsonValue | undefined): Lookup => ({ known: true, value });
const unknown = (reason: string): Lookup => ({ known: false, reason });
