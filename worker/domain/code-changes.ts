import { canonicalJson } from "../../schema/contract/json.ts";
import { actionRunsCode } from "../../schema/contract/runs-code.ts";
import type { ActionNode, Definition } from "../../schema/contract/workflow.ts";
import { graphsOf } from "./graph/walk.ts";

/** An action node, and its path below `definition.`: `nodes.2`, `nodes.0.body.nodes.1`. */
export interface PlacedAction {
  readonly path: string;
  readonly node: ActionNode;
}

/**
 * The action nodes of `after` that need `code:write`: they run code, or did so before, and are new or differ in action,
 * connection, target or parameters, templates included. `before` is null for a new workflow.
 *
 * A value that reaches such a node through a template needs no permission: the template's author let others choose it,
 * as starters of the workflow do, and values stay data (`docs/decisions/0012-values-stay-data.md`).
 */
export function codeChanges(before: Definition | null, after: Definition): PlacedAction[] {
  return changedActions(before, after).filter(({ node, was }) =>
    [node, ...(was === undefined ? [] : [was])].some((one) => actionRunsCode(one.action, one.params)),
  );
}

/** The action nodes of `after` that are new or differ in action, connection, target or parameters, with their former nodes. */
export function changedActions(
  before: Definition | null,
  after: Definition,
): (PlacedAction & { readonly was: ActionNode | undefined })[] {
  const former = new Map(before === null ? [] : actionsOf(before).map(({ node }) => [node.id, node]));
  return actionsOf(after)
    .map((placed) => ({ ...placed, was: former.get(placed.node.id) }))
    .filter(({ node, was }) => was === undefined || !doesTheSame(was, node));
}

/** Every action node of a definition, those in bodies of forEach nodes included. */
export function actionsOf(definition: Definition): PlacedAction[] {
  return graphsOf(definition).flatMap(({ graph, at }) =>
    graph.nodes.flatMap((node, index) => (node.type === "action" ? [{ path: `${at}nodes.${index}`, node }] : [])),
  );
}

function doesTheSame(a: ActionNode, b: ActionNode): boolean {
  return (
    a.action === b.action &&
    a.connectionId === b.connectionId &&
    a.target === b.target &&
    canonicalJson(a.params) === canonicalJson(b.params)
  );
}
