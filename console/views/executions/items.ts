import type { ExecutionView, NodeRunStatus, NodeRunView } from "../../../schema/contract/execution.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Definition, ForEachNode } from "../../../schema/contract/workflow.ts";
import { ownValue } from "../../../worker/domain/own-value.ts";
import { renderItems } from "../../../worker/domain/template/items.ts";
import { outputValue } from "../../../worker/domain/template/output-json.ts";
import { textOf } from "../../../worker/domain/template/value.ts";
import { RunsByPlace, chainTo, hasFailed } from "./iterations.ts";
import type { IterationPath } from "./iterations.ts";

/** One item of a forEach with what its iteration did. */
export interface ItemRow {
  index: number;
  /** The item as text; null when it is not known. */
  item: string | null;
  status: NodeRunStatus;
  /** When its first step began and its last one ended; null if that has not happened. */
  from: string | null;
  to: string | null;
  /** The step to show: the one that failed, otherwise the first one. */
  run: NodeRunView | null;
}

/** The iterations of a forEach that have begun. */
export function itemRows(
  execution: ExecutionView,
  definition: Definition,
  node: ForEachNode,
  path: IterationPath,
): ItemRow[] {
  const runs = new RunsByPlace(execution.nodeRuns);
  const items = itemsOf(execution, definition, runs, node, path);
  return runs.iterationsOf(node, path).map(({ index, status }) => {
    const own = node.body.nodes.flatMap(({ id }) => runs.at(id, [...path, index]) ?? []);
    const starts = own.flatMap(({ timeline }) => timeline.startedAt ?? timeline.queuedAt ?? []).toSorted();
    const ends = own.map(({ timeline }) => timeline.finishedAt);
    const isOver = status !== "running" && status !== "waiting";
    return {
      index,
      item: items === null || index >= items.length ? null : textOf(items[index]),
      status,
      from: starts[0] ?? null,
      to: isOver
        ? (ends
            .filter((end) => end !== null)
            .toSorted()
            .at(-1) ?? null)
        : null,
      run: own.find((run) => hasFailed(run.status)) ?? own[0] ?? null,
    };
  });
}

/** The list of a forEach, by the values that the API shows; null when one is not among them. */
function itemsOf(
  execution: ExecutionView,
  definition: Definition,
  runs: RunsByPlace,
  node: ForEachNode,
  place: IterationPath,
): readonly JsonValue[] | null {
  const { trigger } = execution;
  const variables = "variables" in trigger ? trigger.variables : undefined;
  const found = renderItems(node.items, ([root, ...path]): JsonValue | undefined => {
    switch (root) {
      case "inputs":
      case "webhook":
        return ownValue(variables, path);
      case "incident":
        return ownValue(trigger.type === "incident" ? trigger.incident : variables?.["incident"], path);
      case "failed":
        return ownValue(trigger.type === "failure" ? trigger.failed : variables?.["failed"], path);
      case "nodes":
        return path[1] === "output" ? outputOf(runs, path[0] ?? "", place, path.slice(2)) : undefined;
      case "foreach": {
        const parent = chainTo(definition, node.id)?.at(-1);
        if (parent?.type !== "forEach" || path[0] !== "item") return undefined;
        const list = itemsOf(execution, definition, runs, parent, place.slice(0, -1));
        return ownValue(list?.[place.at(-1) ?? 0], path.slice(1));
      }
      case undefined:
      default:
        return undefined;
    }
  });
  return found.ok ? found.list : null;
}

/** The output of a node in the same iteration, or around it. */
function outputOf(runs: RunsByPlace, nodeId: string, place: IterationPath, path: readonly string[]) {
  for (let depth = place.length; depth >= 0; depth -= 1) {
    const run = runs.at(nodeId, place.slice(0, depth));
    if (run !== null) return run.output === null ? undefined : outputValue(run.output, path);
  }
  return undefined;
}
