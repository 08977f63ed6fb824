import { SO_FAR } from "../../schema/contract/for-each.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { referenceProblems } from "../../worker/domain/graph/references.ts";
import { graphsOf } from "../../worker/domain/graph/walk.ts";
import type { PlacedGraph } from "../../worker/domain/graph/walk.ts";
import { parsePath } from "../../worker/domain/template/parse.ts";
import { completions as text } from "../strings/en/completions.ts";
import type { Completion } from "./completion.ts";
import { ERROR, nodeCompletions } from "./node-completions.ts";
import { triggerCompletions } from "./trigger-completions.ts";

/**
 * The paths that templates of a node may name by the rules of saving. `variables` are known variables of the trigger:
 * those of a sample or of a past execution.
 */
export function completionsAt(draft: WorkflowInput, nodeId: string, variables: JsonObject = {}): Completion[] {
  const placed = placeOf(draft, nodeId);
  if (placed === null) return [];
  const problemOf = referenceProblems(placed, nodeId, draft.trigger);
  const offered = [
    ...nodeCompletions(placed, nodeId),
    ...forEachCompletions(placed),
    ...triggerCompletions(draft, variables),
    ...ERROR_COMPLETIONS,
  ].filter(({ path }) => {
    const parsed = parsePath(path);
    return parsed !== null && problemOf(parsed) === null;
  });
  return [...new Map(offered.map((completion) => [completion.path, completion])).values()];
}

/** The graph of a node; null when the draft has no node with that id. */
function placeOf({ definition }: Pick<WorkflowInput, "definition">, nodeId: string): PlacedGraph | null {
  return graphsOf(definition).find(({ graph }) => graph.nodes.some(({ id }) => id === nodeId)) ?? null;
}

function forEachCompletions(placed: PlacedGraph): Completion[] {
  const found: Completion[] = [];
  let prefix = "foreach";
  for (let { parent } = placed; parent !== null; { parent } = parent.placed) {
    const { forEachId } = parent;
    found.push(
      { path: `${prefix}.item`, type: "any", detail: text.item(forEachId) },
      { path: `${prefix}.index`, type: "number", detail: text.index(forEachId) },
      { path: `${prefix}.total`, type: "number", detail: text.total(forEachId) },
    );
    prefix += ".parent";
  }
  return found;
}

/** In the check of a forEach: what the forEach itself may name, and what is known of its items so far. */
export function checkCompletions(around: readonly Completion[], forEachId: string): Completion[] {
  return [
    ...SO_FAR.map((name): Completion => {
      const detail = name === "total" ? text.total(forEachId) : text.forEach[name];
      return { path: `foreach.${name}`, type: name === "results" ? "list" : "number", detail };
    }),
    ...around.map((one) => ({ ...one, path: one.path.replace(/^foreach\./u, "foreach.parent.") })),
  ];
}

const ERROR_COMPLETIONS: readonly Completion[] = [
  ...ERROR.map(([name, type, detail]): Completion => ({ path: `error.${name}`, type, detail })),
  { path: "error.output", type: "any", detail: text.error.output },
];

/** The parts of a typed path; null when the text is not a path. */
export function partsOf(path: string): readonly string[] | null {
  return parsePath(path);
}

/** Whether a path can be the list of a forEach. A path of an unknown type can. */
export function canBeList({ type }: Completion): boolean {
  // A script's output is text, and a text with a JSON list counts as a list (worker/domain/template/items.ts).
  return type === "list" || type === "any" || type === "text";
}
