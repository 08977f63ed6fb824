import { useMemo } from "react";
import { useAll } from "../../../api/use-all.ts";
import type { Names } from "../../../../worker/domain/workflow-file/file-of.ts";

const MANY = { query: { limit: 200 } };

/** What connections and workflows are called; null until all of it is known. */
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
  // Read again, they are the same as long as they say the same.
  const said = JSON.stringify(names);
  return useMemo(() => {
    const same: Names | null = JSON.parse(said);
    return same;
  }, [said]);
}

/** Every one of them; null until all are there. Names that cannot be read are none: ids work without them. */
function allOf<T>({ items, error, isWhole }: { items: T[] | undefined; error: unknown; isWhole: boolean }) {
  if (error !== null) return items ?? [];
  return isWhole ? (items ?? null) : null;
}
