import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Definition, Trigger } from "../../../schema/contract/workflow.ts";
import { checkIds, checkLimits } from "./limits.ts";
import type { GraphLookup } from "./lookup.ts";
import { checkNodes } from "./nodes.ts";
import { parallelStarts } from "./parallel-starts.ts";
import { checkReferences } from "./references.ts";
import { checkStructure } from "./structure.ts";
import type { Findings } from "./check-code-param.ts";
import { graphsOf } from "./walk.ts";
import { distinctErrors } from "../shown-errors.ts";
import { Steps } from "../steps.ts";

/**
 * Every problem of a definition, each with its path: `nodes.2.params.command`, `nodes.0.body.edges.1.to`
 * (docs/design/workflows.md#checks-when-saved). Problems prevent saving; warnings do not. With several triggers, a
 * template is fine if one of them gives it a value. The definition already has the shape of the contract. Throws
 * `TooComplex`.
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
      warnings: below([...parallelStarts(placed.graph), ...nodes.warnings]),
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

/** Prefixes the path of an error and the paths of its fix. */
export function underPath(error: FieldError, prefix: string): FieldError {
  const { path, fix } = error;
  if (fix === undefined) return { ...error, path: `${prefix}${path}` };
  const edits = fix.edits.map((edit) => ({ ...edit, path: `${prefix}${edit.path}` }));
  return { ...error, path: `${prefix}${path}`, fix: { ...fix, edits } };
}
