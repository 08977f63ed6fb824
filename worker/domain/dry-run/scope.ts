import type { GivenNode, Runs } from "../../../schema/contract/dry-run.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { Edge, Outcome } from "../../../schema/contract/workflow.ts";
import { isRootHandler } from "../graph/graph-index.ts";
import type { GraphIndex } from "../graph/graph-index.ts";
import { outputValue } from "../template/output-json.ts";
import { incidentValue } from "../incident/template-value.ts";
import { ownValue } from "../own-value.ts";

/** How a node is taken to have ended in a dry run. */
export interface DryResult {
  readonly runs: Runs;
  /** Null when it is not known. */
  readonly outcome: Outcome | null;
  readonly given: GivenNode | undefined;
  /** As given, or what would make it fail at once. */
  readonly error: { readonly code?: string | undefined; readonly message?: string | undefined } | undefined;
  /** The output; undefined when it is not known. */
  readonly output: JsonValue | undefined;
}

/** One graph of a dry run: the definition's own, or a forEach's body for its first item. */
export interface DryScope {
  readonly graph: GraphIndex;
  readonly trigger: ExecutionTrigger;
  readonly results: Map<string, DryResult>;
  /** The failure that leads to a node, once it was looked for: a node may have thousands of templates. */
  readonly failures: Map<string, string | null>;
  /** Null outside of any forEach; `items` is null when they are not known. */
  readonly around: {
    readonly scope: DryScope;
    readonly forEachId: string;
    readonly items: readonly JsonValue[] | null;
  } | null;
}

/** What a path stands for, as far as it is known. */
export type Lookup =
  | { readonly known: true; readonly value: JsonValue | undefined }
  | { readonly known: false; readonly reason: string };

const known = (value: JsonValue | undefined): Lookup => ({ known: true, value });
const unknown = (reason: string): Lookup => ({ known: false, reason });

/** What a template of this node stands for (specification, "Template variables"; see `run/resolve.ts`). */
export function lookUp(scope: DryScope, nodeId: string, [root, ...path]: readonly string[]): Lookup {
  const { trigger } = scope;
  switch (root) {
    case "webhook":
    case "inputs":
      return known(ownValue("variables" in trigger ? trigger.variables : undefined, path));
    case "incident":
      return known(incidentValue(trigger.type === "incident" ? trigger.incident : undefined, path));
    case "cron":
      return known(trigger.type === "cron" ? ownValue({ scheduledAt: trigger.scheduledAt }, path) : undefined);
    case "foreach":
      return forEachValue(scope, path);
    case "nodes":
      return nodeValue(scope, path);
    case "error":
      return errorValue(scope, nodeId, path);
    case undefined:
    default:
      return known(undefined);
  }
}

/** Whether an edge is taken; null when that is not known. */
export function takes({ results }: DryScope, { from, on }: Edge): boolean | null {
  const result = results.get(from);
  if (result === undefined || result.runs === "no") return false;
  if (result.outcome !== null && result.outcome !== on) return false;
  return result.runs === "yes" && result.outcome !== null ? true : null;
}

export function hasFailed({ given, outcome }: DryResult): boolean {
  return outcome === "failure" || (given?.status !== undefined && given.status !== "succeeded");
}

function forEachValue({ around }: DryScope, [field, ...path]: readonly string[]): Lookup {
  if (around === null || field === undefined) return known(undefined);
  if (field === "parent") return forEachValue(around.scope, path);
  if (around.items === null) return unknown(`the list of ${around.forEachId} is not known`);
  const values: Record<string, JsonValue | undefined> = { item: around.items[0], index: 0, total: around.items.length };
  return known(Object.hasOwn(values, field) ? ownValue(values[field], path) : undefined);
}

function nodeValue(from: DryScope, [nodeId = "", field, ...path]: readonly string[]): Lookup {
  const result = resultOf(from, nodeId);
  if (result === undefined) return known(undefined);
  const { given, output, runs } = result;
  if (runs === "no") return known(field === "status" && path.length === 0 ? "skipped" : undefined);
  const below = field === "output" ? path : field === "exitCode" && path.length === 0 ? ["exitCode"] : null;
  if (field === "status" && path.length === 0)
    return known(given?.status ?? (hasFailed(result) ? "failed" : "succeeded"));
  if (below === null) return known(undefined);
  return output === undefined
    ? unknown(`the output of ${nodeId} is not known: give it as nodes.${nodeId}.output`)
    : known(outputValue(output, below));
}

function resultOf(from: DryScope, nodeId: string): DryResult | undefined {
  for (let scope: DryScope | undefined = from; scope !== undefined; scope = scope.around?.scope) {
    if (scope.graph.nodes.has(nodeId)) return scope.results.get(nodeId);
  }
  return undefined;
}

function errorValue(scope: DryScope, nodeId: string, [field, ...path]: readonly string[]): Lookup {
  const failedId = failureBehind(scope, nodeId);
  if (failedId === null || field === undefined)
    return unknown("no node fails here: say which one with nodes.<id>.status failed");
  const result = resultOf(scope, failedId);
  const node = nodeOf(scope, failedId);
  const { error, given, output } = result ?? {};
  const told: JsonObject = {
    nodeId: failedId,
    actionType: node?.type === "action" ? node.action : (node?.type ?? ""),
    status: given?.status ?? "failed",
    ...(error?.code === undefined ? {} : { code: error.code }),
    ...(error?.message === undefined ? {} : { message: error.message }),
  };
  if (Object.hasOwn(told, field)) return known(ownValue(told, [field, ...path]));
  if (field === "code" || field === "message") {
    return unknown(`the failure of ${failedId} is not known: give it as nodes.${failedId}.error.${field}`);
  }
  if (output === undefined)
    return unknown(`the output of ${failedId} is not known: give it as nodes.${failedId}.output`);
  return known(field === "output" ? outputValue(output, path) : ownValue(output, [field, ...path]));
}

/**
 * The failure that would lead to a node: one that was given, else the one whose failure edge leads here; then outwards.
 * Null when nothing says which.
 */
function failureBehind(scope: DryScope, nodeId: string): string | null {
  const known = scope.failures.get(nodeId);
  if (known !== undefined) return known;
  const found = searchFailure(scope, nodeId);
  scope.failures.set(nodeId, found);
  return found;
}

function searchFailure(scope: DryScope, nodeId: string): string | null {
  const seen = new Set([nodeId]);
  for (const id of seen) {
    const indexed = scope.graph.nodes.get(id);
    if (indexed === undefined) continue;
    if (isRootHandler(indexed)) {
      for (const [failedId, result] of scope.results) if (hasFailed(result)) return failedId;
    }
    const failures = indexed.incoming.filter(({ on }) => on === "failure" || on === "rejected");
    const failed = failures.find(({ from }) => hasFailed(scope.results.get(from) ?? NOTHING)) ?? failures[0];
    if (failed !== undefined) return failed.from;
    for (const { from } of indexed.incoming) seen.add(from);
  }
  return scope.around === null ? null : failureBehind(scope.around.scope, scope.around.forEachId);
}

const NOTHING: DryResult = { runs: "no", outcome: null, given: undefined, error: undefined, output: undefined };

function nodeOf(from: DryScope, nodeId: string) {
  for (let scope: DryScope | undefined = from; scope !== undefined; scope = scope.around?.scope) {
    const indexed = scope.graph.nodes.get(nodeId);
    if (indexed !== undefined) return indexed.node;
  }
  return undefined;
}
