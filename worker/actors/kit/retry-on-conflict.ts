import { isConflict } from "../../store/errors.ts";
import { ProblemError } from "../../services/problem.ts";

const ATTEMPTS_MAX = 10;

/**
 * The result of `attempt`, which reads, decides, and writes on condition that nothing has changed. Repeats the attempt
 * when another caller was first: the attempt gave null, or failed with a conflict while `isFinal` is false. After ten
 * attempts throws `conflict`, with `what` as the subject of its message.
 */
export async function retryOnConflict<T>(
  what: string,
  attempt: () => Promise<T | null>,
  { isFinal = () => false }: { isFinal?: () => boolean } = {},
): Promise<T> {
  let cause: unknown;
  for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts += 1) {
    try {
      const result = await attempt();
      if (result !== null) return result;
    } catch (error) {
      if (!isConflict(error) || isFinal()) throw error;
      cause = error;
    }
  }
  const detail = `${what} is being changed by others at the same moment. Try again.`;
  throw new ProblemError("conflict", detail, { cause });
}
