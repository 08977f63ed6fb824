import { useAction } from "../api/queries.ts";
import type { PathOf } from "../api/operations.ts";
import { asPageError } from "./conflict.ts";
import { toastSuccess, toastFailure } from "./toast.tsx";
import { useReadAgain } from "./use-read-again.ts";

interface Messages<Input, Result> {
  /** The message of a success. */
  done: (result: Result, input: Input) => string;
  /** The heading of a failure: "The agent was not disabled". */
  failed: string;
}

/**
 * A change by a button, with a toast about its outcome. The paths in `refreshes` are read again, also after a refusal,
 * since the page was then usually out of date. Resolves to whether the change was made.
 */
export function useToastMutation<Input, Result>(
  perform: Parameters<typeof useAction<Input, Result>>[0],
  { done, failed, refreshes }: Messages<Input, Result> & { refreshes: readonly PathOf<"GET">[] },
) {
  const readAgain = useReadAgain(refreshes);
  const action = useAction(perform, { refreshes });
  const run = async (input: Input): Promise<boolean> => {
    try {
      toastSuccess(done(await action.mutateAsync(input), input));
      return true;
    } catch (error) {
      toastFailure(failed, asPageError(error));
      await readAgain();
      return false;
    }
  };
  return { run, isPending: action.isPending };
}
