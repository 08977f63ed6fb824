import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { CallOptions } from "./client.ts";
import type { PathOf } from "./operations.ts";
import { isOutcomeUnknown } from "./problem.ts";

/**
 * Like `useAction`, for a change whose input or result holds a secret: neither goes into a cache. `perform` resolves to
 * the result, or to null when the change failed: `error` then says why.
 */
export function useSecretAction<Input, Result>(
  action: (input: Input, options: Pick<CallOptions, "idempotencyKey">) => Promise<Result>,
  options: { refreshes?: readonly PathOf<"GET">[] } = {},
) {
  const queries = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const [isPending, setIsPending] = useState(false);
  const last = useRef<{ serialized: string; key: string } | null>(null);
  const perform = async (input: Input): Promise<{ result: Result } | null> => {
    const serialized = JSON.stringify(input) ?? "";
    if (last.current?.serialized !== serialized) last.current = { serialized, key: crypto.randomUUID() };
    setIsPending(true);
    setError(null);
    try {
      const result = await action(input, { idempotencyKey: last.current.key });
      last.current = null;
      for (const path of options.refreshes ?? []) void queries.invalidateQueries({ queryKey: [path] });
      return { result };
    } catch (failure) {
      if (!isOutcomeUnknown(failure)) last.current = null;
      setError(failure);
      return null;
    } finally {
      setIsPending(false);
    }
  };
  return { perform, error, isPending, reset: () => setError(null) };
}
