import type { ExecutionTrigger } from "../../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { ForEachNode } from "../../../../schema/contract/workflow.ts";
import type { ExecutionState } from "../../../domain/execution-state.ts";
import { isRootHandler } from "../../../domain/graph/graph-index.ts";
import { incidentValue } from "../../../domain/incident/template-value.ts";
import { ownValue } from "../../../domain/own-value.ts";
import { renderItems } from "../../../domain/template/items.ts";
import type { Items } from "../../../domain/template/items.ts";
import { outputValue } from "../../../domain/template/output-json.ts";
import type { Resolve } from "../../../domain/template/value.ts";
import { whyEmpty } from "../../../domain/template/why-empty.ts";
import { failedBefore, failureView } from "./error-handler.ts";
import type { Scope } from "./draft.ts";
import { enteredBy } from "./unhandled-failure.ts";

/** What templates of a node stand for. Where one is empty for a reason that can be named, the node run says so. */
export function resolverOf(scope: Scope, nodeId: string): Resolve {
  const resolve = valuesOf(scope, nodeId);
  return (path) => {
    const value = resolve(path);
    const why = value === undefined ? whyEmpty(path, resolve) : null;
    if (why !== null) scope.draft.warn(scope, nodeId, `{{${path.join(".")}}}: ${why}.`);
    return value;
  };
}

/**
 * The values by their names (specification, "Template variables"):
 * - `webhook.<key>` and `inputs.<key>`: the variables that came with the trigger, under both names, so that a workflow can
 *   be tried by hand with the same templates;
 * - `incident.<field>`: of the incident; when run by hand, of the variable called incident;
 * - `cron.scheduledAt`: the minute it was due; when run by hand, the start, in ISO 8601;
 * - `nodes.<id>.output…`, `.status`, `.exitCode`: of nodes that have ended; `output.json` is worked out here;
 * - `foreach.item`, `.index`, `.total`: of the innermost forEach around the node; `foreach.parent.item` … of the next;
 * - `error.*`: of the failure that led here, along the edges that were taken.
 */
function valuesOf(scope: Scope, nodeId: string): Resolve {
  const { before } = scope.draft;
  return ([root, ...path]) => {
    switch (root) {
      case "webhook":
      case "inputs":
        return ownValue(variablesOf(before.trigger), path);
      case "incident":
        return incidentValue(incidentOf(before.trigger), path);
      case "cron":
        return ownValue({ scheduledAt: scheduledAt(before) }, path);
      case "foreach":
        return forEachValue(scope, path);
      case "nodes":
        return nodeValue(scope, path);
      case "error":
        return errorValue(scope, nodeId, path);
      case undefined:
      default:
        return undefined;
    }
  };
}

/** The list of a forEach. What it is made from does not change any more, so it is worked out again at need. */
export function itemsOf(scope: Scope, { id, items }: ForEachNode): Items {
  const known = scope.items.get(id);
  if (known !== undefined) return known;
  const found = renderItems(items, resolverOf(scope, id));
  scope.items.set(id, found);
  return found;
}

function forEachValue(scope: Scope, [field, ...path]: readonly string[]): JsonValue | undefined {
  if (scope.parent === null) return undefined;
  const { scope: outer, forEachId } = scope.parent;
  if (field === "parent") return forEachValue(outer, path);
  const { node } = outer.node(forEachId);
  const items = node.type === "forEach" ? itemsOf(outer, node) : null;
  const index = scope.path.at(-1);
  if (items === null || !items.ok || index === undefined) return undefined;
  const values: Record<string, JsonValue | undefined> = { item: items.list[index], index, total: items.list.length };
  return field !== undefined && Object.hasOwn(values, field) ? ownValue(values[field], path) : undefined;
}

function variablesOf(trigger: ExecutionTrigger): JsonValue | undefined {
  return "variables" in trigger ? trigger.variables : undefined;
}

function incidentOf(trigger: ExecutionTrigger): JsonValue | undefined {
  return trigger.type === "incident" ? trigger.incident : ownValue(variablesOf(trigger), ["incident"]);
}

function scheduledAt({ trigger, startedAt }: ExecutionState): string {
  return trigger.type === "cron" ? trigger.scheduledAt : new Date(startedAt).toISOString();
}

/** A node of the same graph, or of one around it. */
function nodeValue(from: Scope, [nodeId, field, ...path]: readonly string[]): JsonValue | undefined {
  const scope = nodeId === undefined ? null : scopeWith(from, nodeId);
  if (nodeId === undefined || scope === null) return undefined;
  const { status, output } = scope.run(nodeId);
  switch (field) {
    case "output":
      return outputValue(output ?? undefined, path);
    case "status":
      return path.length === 0 ? status : undefined;
    case "exitCode":
      return path.length === 0 ? ownValue(output ?? undefined, ["exitCode"]) : undefined;
    case undefined:
    default:
      return undefined;
  }
}

function scopeWith(from: Scope, nodeId: string): Scope | null {
  for (let scope: Scope | null = from; scope !== null; scope = scope.parent?.scope ?? null) {
    if (scope.index.nodes.has(nodeId)) return scope;
  }
  return null;
}

function errorValue(scope: Scope, nodeId: string, [field, ...path]: readonly string[]): JsonValue | undefined {
  const failed = failureBehind(scope, nodeId);
  if (failed === null || field === undefined) return undefined;
  if (field === "output") return outputValue(failed.scope.run(failed.nodeId).output ?? undefined, path);
  const found = ownValue(failureView(failed.scope, failed.nodeId), [field, ...path]);
  return found ?? undefined;
}

/** The failure that led to a node: the nearest one, looking back along the edges that were taken, then outwards. */
function failureBehind(scope: Scope, nodeId: string): { scope: Scope; nodeId: string } | null {
  const seen = new Set([nodeId]);
  for (const id of seen) {
    const indexed = scope.node(id);
    if (isRootHandler(indexed)) {
      const entered = enteredBy(scope, id);
      if (entered !== null && scope.index.nodes.has(entered)) return { scope, nodeId: entered };
    }
    const failed = failedBefore(scope, indexed.incoming);
    if (failed !== null) return { scope, nodeId: failed };
    for (const edge of indexed.incoming) if (scope.takes(edge)) seen.add(edge.from);
  }
  return scope.parent === null ? null : failureBehind(scope.parent.scope, scope.parent.forEachId);
}
