import { useEffect } from "react";
import type { Input, PagedPath } from "./operations.ts";
import { useList } from "./queries.ts";
import type { ReadOptions } from "./queries.ts";

export interface AllOptions extends ReadOptions {
  /** How many pages are read by themselves at most; all, unless said. */
  pagesMax?: number | undefined;
}

/**
 * The whole of a list, page after page, for what has to look at all of it. `isWhole` is false while pages are missing:
 * what is said of it until then must not say "none". `isReading`: further ones come by themselves. A page that fails
 * ends that, until the list is read anew.
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
