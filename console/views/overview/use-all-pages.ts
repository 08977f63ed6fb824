import { useEffect } from "react";
/** What an overview reads of one list at most: beyond it, nothing is claimed about the rest. */
const PAGES_MAX = 5;
export const PAGE_SIZE = 200;

interface PagedList {
  data: { pages: readonly unknown[] } | undefined;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchNextPageError: boolean;
  fetchNextPage: () => unknown;
}

/** A list as far as an overview looks: all of it, or its first thousand with `isWhole` false. */
export function useAllPages<L extends PagedList>(list: L): L & { isWhole: boolean; isReading: boolean } {
  const { data, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list;
  const pages = data?.pages.length ?? 0;
  const isReading = hasNextPage && pages < PAGES_MAX && !isFetchNextPageError;
  useEffect(() => {
    if (isReading && !isFetching) void fetchNextPage();
  }, [isReading, isFetching, fetchNextPage]);
  return { ...list, isWhole: data !== undefined && !hasNextPage, isReading };
}

/** A count, or "200+" where it is not the whole. */
export function countOf(count: number, isWhole: boolean): string {
  return isWhole ? String(count) : `${count}+`;
}
