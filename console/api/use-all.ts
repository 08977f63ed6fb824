import { useEffect } from "react";
import type { Input, PagedPath } from "./operations.ts";
import { useList } from "./queries.ts";
import type { ReadOptions } from "./queries.ts";

export interface AllOptions extends ReadOptions {
  /** How many pages are read automatically at most. Default: all. */
  pagesMax?: number | undefined;
}

/**
 * A whole list, read page by page. `isWhole` is false while pages are missing: until then the view must not say "none".
 * `isReading` is true while further pages are read automatically. A failed page stops this; reading the list again
 * resumes it.
 */
export function useAll<P extends PagedPath>(
  path: P,
  input: Input<"GET", P>,
  { pagesMax = Number.POSITIVE_INFINITY, ...options }: AllOptions = {},
) {
  const list = useList(path, input, options);
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const isReading = hasNextPage && (data?.pages.length ?? 0) < pagesMax && !isFetchNextPageError;
  useEffect(() => {
    if (isReading && !isFetching) void fetchNextPage();
  }, [isReading, isFetching, fetchNextPage]);
  return { ...list, isWhole: data !== undefined && !hasNextPage, isReading };
}
