import { useEffect } from "react";

interface Pages {
  data: { pages: readonly unknown[] } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isError: boolean;
  fetchNextPage: () => unknown;
}

/** Reads a list's further pages by themselves, up to so many: for what is looked up rather than looked through. */
export function useAllPages(list: Pages, most: number): void {
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = list;
  const read = list.data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isError && read < most) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, read, most, fetchNextPage]);
}
