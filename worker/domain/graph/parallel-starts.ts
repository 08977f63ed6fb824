import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Graph } from "../../../schema/contract/workflow.ts";

/** Warnings about nodes without any edge next to another start: they look forgotten, and run at once. */
export function parallelStarts({ nodes, edges }: Graph): FieldError[] {
  const entered = new Set(edges.map(({ to }) => to));
  const leaving = new Set(edges.map(({ from }) => from));
  const starts = nodes.filter(({ id, type }) => type !== "errorHandler" && !entered.has(id));
  const main = starts.find(({ id }) => leaving.has(id)) ?? starts[0];
  const forgotten = new Set(starts.filter((node) => node !== main && !leaving.has(node.id)));
  return nodes.flatMap((node, index) =>
    main !== undefined && forgotten.has(node)
      ? [
          {
            path: `nodes.${index}`,
            message: `starts immediately, in parallel with ${main.id}: no edge leads to it. Connect it if it has to wait`,
          },
        ]
      : [],
  );
}
