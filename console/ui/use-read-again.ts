import { useQueryClient } from "@tanstack/react-query";
import type { PathOf } from "../api/operations.ts";

/** Reads these paths again: after a refusal the page was usually out of date. */
export function useReadAgain(paths: readonly PathOf<"GET">[]): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    await Promise.all(paths.map((path) => queries.invalidateQueries({ queryKey: [path] })));
  };
}
