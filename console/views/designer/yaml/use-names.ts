import { useEffect, useMemo } from "react";
import { useList } from "../../../api/queries.ts";
import type { Names } from "./draft-text.ts";

const MANY = { query: { limit: 200 } };

/** What connections and workflows are called; null until all of it is known. */
export function useNames(): Names | null {
  const connections = useAll(useList("/api/v1/automation/connections", MANY));
  const workflows = useAll(useList("/api/v1/automation/workflows", MANY));
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

interface Pages<T> {
  items: T[] | undefined;
  error: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Every page. Names that cannot be read are none: ids work without them. */
function useAll<T>({ items, error, hasNextPage, isFetchingNextPage, fetchNextPage }: Pages<T>): readonly T[] | null {
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && error === null) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage, error]);
  if (error !== null) return items ?? NONE;
  return items === undefined || hasNextPage ? null : items;
}

const NONE: readonly never[] = [];
