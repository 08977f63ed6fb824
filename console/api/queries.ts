import { QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { callPage, readUntyped } from "./client.ts";
import type { CallOptions } from "./client.ts";
import type { Input, Output, PagedPath, PathOf } from "./operations.ts";
import { isOutcomeUnknown, isPassing } from "./problem.ts";

const RETRIES = 3;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Data is read again when the person comes back to the page, not on every click.
        staleTime: 5_000,
        retry: (count, error) => count < RETRIES && isPassing(error),
        // Without a network the query fails with a message instead of pausing silently.
        networkMode: "always",
      },
      // The input and the result of a change are dropped with the component that made it.
      mutations: { retry: false, networkMode: "always", gcTime: 0 },
    },
  });
}

export interface ReadOptions {
  /** How often the data is read again while it is shown. */
  everyMs?: number | undefined;
  /** True: also while the tab is hidden. */
  inBackground?: boolean | undefined;
  /** False: not read yet. */
  enabled?: boolean | undefined;
}

/** Reads an operation of the contract and keeps the data fresh. */
export function useRead<P extends PathOf<"GET">>(path: P, input: Input<"GET", P>, options: ReadOptions = {}) {
  return useQuery<Output<"GET", P>>({
    queryKey: [path, input],
    queryFn: ({ signal }) => readUntyped(path, input, { signal }),
    refetchInterval: options.everyMs ?? false,
    refetchIntervalInBackground: options.inBackground ?? false,
    enabled: options.enabled ?? true,
  });
}

/** Reads a list page by page: `items` holds the items of the pages read so far. */
export function useList<P extends PagedPath>(path: P, input: Input<"GET", P>, options: ReadOptions = {}) {
  const list = useInfiniteQuery({
    queryKey: [path, "pages", input],
    queryFn: ({ signal, pageParam }) => callPage(path, input, pageParam, { signal }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last) => last.nextCursor,
    refetchInterval: options.everyMs ?? false,
    enabled: options.enabled ?? true,
  });
  return { ...list, items: list.data?.pages.flatMap((page) => page.items) };
}

/** The first page of a list has no cursor. */
const FIRST_PAGE: string | null = null;

/**
 * A change that a person makes. While the outcome of the last attempt is unknown, the next attempt has the same
 * idempotency key, so the change is not made twice. The paths in `refreshes` are read again afterwards.
 */
export function useAction<Given, Result>(
  perform: (input: Given, options: Pick<CallOptions, "idempotencyKey">) => Promise<Result>,
  options: { refreshes?: readonly PathOf<"GET">[]; onDone?: (result: Result, input: Given) => void } = {},
) {
  const queries = useQueryClient();
  const key = useRef<{ input: string; key: string } | null>(null);
  return useMutation({
    mutationFn: (input: Given) => {
      const serialized = JSON.stringify(input) ?? "";
      if (key.current?.input !== serialized) key.current = { input: serialized, key: crypto.randomUUID() };
      return perform(input, { idempotencyKey: key.current.key });
    },
    onError: (error) => {
      if (!isOutcomeUnknown(error)) key.current = null;
    },
    onSuccess: async (result, input) => {
      key.current = null;
      options.onDone?.(result, input);
      await Promise.all((options.refreshes ?? []).map((path) => queries.invalidateQueries({ queryKey: [path] })));
    },
  });
}
