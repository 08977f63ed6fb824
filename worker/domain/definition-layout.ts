import { TRIGGER_KEY } from "../../schema/contract/workflow.ts";
import type { Definition } from "../../schema/contract/workflow.ts";
import { graphsOf } from "./graph/walk.ts";

/** The definition without the positions of nodes that it does not have. */
export function withKnownLayout(definition: Definition): Definition {
  const { layout, ...rest } = definition;
  if (layout === undefined) return definition;
  const ids = new Set(graphsOf(definition).flatMap(({ graph }) => graph.nodes.map(({ id }) => id)));
  const entries = Object.entries(layout);
  const kept = entries.filter(([id]) => ids.has(id) || id === TRIGGER_KEY);
  if (kept.length === entries.length && kept.length > 0) return definition;
  return kept.length === 0 ? rest : { ...rest, layout: Object.fromEntries(kept) };
}

/** The definition's behaviour, without the positions of its nodes. */
export function withoutLayout({ layout: _layout, ...definition }: Definition): Definition {
  return definition;
}
