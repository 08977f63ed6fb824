import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { checkIds, checkLimits } from "./graph/limits.ts";
import { checkNodes } from "./graph/nodes.ts";
import { checkReferences } from "./graph/references.ts";
import { checkStructure } from "./graph/structure.ts";
import { graphsOf } from "./graph/walk.ts";

/** A workflow that others may call. */
export interface CallableWorkflow {
  readonly name: string;
  /** Those that its published version declares; null when it is not published, or takes whatever it is given. */
  readonly inputs: Readonly<Record<string, { required?: boolean | undefined; default?: unknown }>> | null;
}

/** What saving must know of what a definition names. Null where there is none of that id. */
export interface GraphLookup {
  connection(id: string): { type: ConnectionType; enabled: boolean; assigned: boolean } | null;
  workflow(id: string): CallableWorkflow | null;
}

/**
 * Every problem of a definition at once, each with its path: `nodes.2.params.command`, `nodes.0.body.edges.1.to`
 * (design 5). Empty when it can be saved. The definition has the shape of the contract already.
 */
export function checkDefinition(definition: Definition, trigger: Trigger, lookup: GraphLookup): FieldError[] {
  const graphs = graphsOf(definition);
  const problems = [
    ...checkLimits(definition),
    ...checkIds(graphs),
    ...graphs.flatMap((placed) =>
      [...checkStructure(placed.graph), ...checkNodes(placed.graph, lookup), ...checkReferences(placed, trigger)].map(
        ({ path, message }) => ({ path: `${placed.at}${path}`, message }),
      ),
    ),
  ];
  return [...new Map(problems.map((problem) => [`${problem.path}\n${problem.message}`, problem])).values()];
}
