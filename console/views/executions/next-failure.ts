import { hasFailed } from "./iterations.ts";
import type { IterationPath, Occurrence } from "./iterations.ts";

/**
 * The forEach and the index of its next failed item, or of the previous one, after the item that is shown; after the
 * last one, the first. `shown` is the selected node: the forEach around it comes first. Null without a failed item.
 */
export function nextFailure(
  found: readonly Occurrence[],
  shown: Pick<Occurrence, "node" | "path"> | null,
  direction: 1 | -1,
): { nodeId: string; path: IterationPath } | null {
  const loops = found.filter(({ iterations }) => iterations.some(({ status }) => hasFailed(status)));
  const around = loops.filter(({ node, path }) => node.id === shown?.node.id || isAround(path, shown?.path ?? []));
  const loop = around.at(-1) ?? loops[0];
  if (loop === undefined) return null;
  const failed = loop.iterations.filter(({ status }) => hasFailed(status)).map(({ index }) => index);
  const current = loop.current ?? -1;
  const next =
    direction === 1
      ? (failed.find((index) => index > current) ?? failed[0])
      : (failed.findLast((index) => index < current) ?? failed.at(-1));
  return next === undefined ? null : { nodeId: loop.node.id, path: [...loop.path, next] };
}

function isAround(path: IterationPath, inner: IterationPath): boolean {
  return inner.length > path.length && path.every((index, level) => inner[level] === index);
}
