import { useMemo } from "react";
import { useAll } from "../../../api/use-all.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";

const MANY = { query: { limit: 200 } };

/** The names of all connections and workflows; null until all are read. */
export function useNames(): Names | null {
  const connections = allOf(useAll("/api/v1/automation/connections", MANY));
  const workflows = allOf(useAll("/api/v1/automation/workflows", MANY));
  const names: Names | null =
    connections === null || workflows === null
      ? null
      : {
          connections: connections.map(({ id, name, type }) => ({ id, name, type })),
          workflows: workflows.map(({ id, name }) => ({ id, name })),
        };
  // Equal names after another read are the same object.
  const text = JSON.stringify(names);
  return useMemo(() => {
    const same: Names | null = JSON.parse(text);
    return same;
  }, [text]);
}

/** All items; null until all are read. After a failed read those known so far, since ids work without names. */
function allOf<T>({ items, error, isWhole }: { items: T[] | undefined; error: unknown; isWhole: boolean }) {
  if (error !== null) return items ?? [];
  return isWhole ? (items ?? null) : null;
}
