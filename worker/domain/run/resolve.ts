import type { JsonValue } from "../../../schema/contract/json.ts";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import { ownValue } from "../template/value.ts";
import type { Resolve } from "../template/value.ts";
import type { Draft } from "./draft.ts";
import { failedBefore, failureView } from "./error-handler.ts";
import { isRootHandler } from "./graph-index.ts";

/**
 * What templates of a node stand for (specification, "Template variables"):
 * - `webhook.<key>` and `inputs.<key>`: the variables that came with the trigger, under both names, so that a workflow can
 *   be tried by hand with the same templates;
 * - `incident.<field>`: of the incident; when run by hand, of the variable called incident;
 * - `cron.scheduledAt`: the minute it was due; when run by hand, the start, in ISO 8601;
 * - `nodes.<id>.output…`, `.status`, `.exitCode`: of nodes that have ended;
 * - `error.*`: of the failure that led here, along the edges that were taken.
 */
export function resolverOf(draft: Draft, nodeId: string): Resolve {
  return ([root, ...path]) => {
    switch (root) {
      case "webhook":
      case "inputs":
        return ownValue(variablesOf(draft.before.trigger), path);
      case "incident":
        return ownValue(incidentOf(draft.before.trigger), path);
      case "cron":
        return ownValue({ scheduledAt: scheduledAt(draft) }, path);
      case "nodes":
        return nodeValue(draft, path);
      case "error":
        return errorValue(draft, nodeId, path);
      case undefined:
      default:
        return undefined;
    }
  };
}

function variablesOf(trigger: ExecutionTrigger): JsonValue | undefined {
  return "variables" in trigger ? trigger.variables : undefined;
}

function incidentOf(trigger: ExecutionTrigger): JsonValue | undefined {
  return trigger.type === "incident" ? trigger.incident : ownValue(variablesOf(trigger), ["incident"]);
}

function scheduledAt({ before: { trigger, startedAt } }: Draft): string {
  return trigger.type === "cron" ? trigger.scheduledAt : new Date(startedAt).toISOString();
}

function nodeValue(draft: Draft, [nodeId, field, ...path]: readonly string[]): JsonValue | undefined {
  if (nodeId === undefined || !draft.index.nodes.has(nodeId)) return undefined;
  const { status, output } = draft.run(nodeId);
  switch (field) {
    case "output":
      return output === null ? undefined : ownValue(output, path);
    case "status":
      return path.length === 0 ? status : undefined;
    case "exitCode":
      return path.length === 0 ? ownValue(output ?? undefined, ["exitCode"]) : undefined;
    case undefined:
    default:
      return undefined;
  }
}

function errorValue(draft: Draft, nodeId: string, [field, ...path]: readonly string[]): JsonValue | undefined {
  const failedId = failureBehind(draft, nodeId);
  if (failedId === null || field === undefined) return undefined;
  if (field === "output") return ownValue(draft.run(failedId).output ?? undefined, path);
  const found = ownValue(failureView(draft, failedId), [field, ...path]);
  return found ?? undefined;
}

/** The failure that led to a node: the nearest one, looking back along the edges that were taken. */
function failureBehind(draft: Draft, nodeId: string): string | null {
  const seen = new Set([nodeId]);
  for (const id of seen) {
    const indexed = draft.node(id);
    if (isRootHandler(indexed)) {
      const entered = ownValue(draft.run(id).output ?? undefined, ["nodeId"]);
      if (typeof entered === "string" && draft.index.nodes.has(entered)) return entered;
    }
    const failed = failedBefore(draft, indexed.incoming);
    if (failed !== null) return failed;
    for (const edge of indexed.incoming) if (draft.run(edge.from).outcome === edge.on) seen.add(edge.from);
  }
  return null;
}
