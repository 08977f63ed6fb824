import { useEffect } from "react";
import type { Input, PagedPath } from "./operations.ts";
import { useList } from "./queries.ts";
import type { ReadOptions } from "./queries.ts";

/**
 * The whole of a list, page after page, for what has to look at all of it. `isWhole` is false while pages are missing:
 * what is said of it until then must not say "none".
 */
export function useAll<P extends PagedPath>(path: P, input: Input<"GET", P>, options: ReadOptions = {}) {
  const list = useList(path, input, options);
  const { hasNextPage, isFetching, isError, fetchNextPage } = list;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return { ...list, isWhole: list.items !== undefined && !hasNextPage };
}
