import type { ActiveRule } from "./event.ts";

/** At most `limit` of the pools: those that active rules name come first. */
export function poolsToRead(known: Iterable<string>, rules: readonly ActiveRule["rule"][], limit: number): string[] {
  const named = new Set(rules.flatMap((rule) => (rule.enabled && "poolIds" in rule ? (rule.poolIds ?? []) : [])));
  const ids = [...known].toSorted();
  return [...ids.filter((id) => named.has(id)), ...ids.filter((id) => !named.has(id))].slice(0, limit);
}
