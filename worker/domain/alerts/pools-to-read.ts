import type { ActiveRule } from "./event.ts";

/**
 * At most `limit` of the pools: those that active rules name, and the others by turns. `turn` rises by one with each
 * look, so each pool is looked at again after a few.
 */
export function poolsToRead(
  known: Iterable<string>,
  rules: readonly ActiveRule["rule"][],
  { limit, turn }: { limit: number; turn: number },
): string[] {
  const named = new Set(rules.flatMap((rule) => (rule.enabled && "poolIds" in rule ? (rule.poolIds ?? []) : [])));
  const ids = [...known].toSorted();
  const first = ids.filter((id) => named.has(id));
  if (first.length >= limit) return byTurns(ids, { limit, turn });
  const others = ids.filter((id) => !named.has(id));
  return [...first, ...byTurns(others, { limit: limit - first.length, turn })];
}

/** The next `limit` items of a list; after its end, the first ones again. */
export function byTurns<T>(list: readonly T[], { limit, turn }: { limit: number; turn: number }): T[] {
  if (list.length <= limit) return [...list];
  const start = (turn * limit) % list.length;
  return [...list.slice(start), ...list.slice(0, start)].slice(0, limit);
}
