import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { checkIds, checkLimits } from "./graph/limits.ts";
import { checkNodes } from "./graph/nodes.ts";
import { checkReferences } from "./graph/references.ts";
import { checkStructure } from "./graph/structure.ts";
import type { Findings } from "./graph/check-code-param.ts";
import { graphsOf } from "./graph/walk.ts";
import { distinctErrors } from "./shown-errors.ts";
import { Steps } from "./steps.ts";

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
  /** Whether there is a user of that id. */
  person(id: string): boolean;
}

/**
 * Every problem of a definition at once, each with its path: `nodes.2.params.command`, `nodes.0.body.edges.1.to`
 * (design 5). It can be saved without any; warnings keep nothing back. With several triggers, a template that one of them
 * would give a value is no problem. The definition has the shape of the contract already. Throws `TooComplex`.
 */
export function checkDefinition(
  definition: Definition,
  triggers: readonly Trigger[],
  lookup: GraphLookup,
  steps: Steps = new Steps(),
): Findings {
  const graphs = graphsOf(definition);
  const found = graphs.map((placed): Findings => {
    const below = (errors: readonly FieldError[]) => errors.map((error) => underPath(error, placed.at));
    const nodes = checkNodes(placed.graph, lookup, steps);
    const references = checkReferences(placed, triggers, steps);
    return {
      problems: below([...checkStructure(placed.graph), ...nodes.problems, ...references]),
      warnings: below(nodes.warnings),
    };
  });
  return {
    problems: distinctErrors([
      ...checkLimits(definition),
      ...checkIds(graphs),
      ...found.flatMap(({ problems }) => problems),
    ]),
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

/** An error with its path, and those of its fix, below another one. */
export function underPath(error: FieldError, prefix: string): FieldError {
  const { path, fix } = error;
  if (fix === undefined) return { ...error, path: `${prefix}${path}` };
  const edits = fix.edits.map((edit) => ({ ...edit, path: `${prefix}${edit.path}` }));
  return { ...error, path: `${prefix}${path}`, fix: { ...fix, edits } };
}
