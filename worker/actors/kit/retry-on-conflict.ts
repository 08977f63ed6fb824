import { isConflict } from "../../store/errors.ts";
import { ProblemError } from "../../services/problem.ts";

const ATTEMPTS_MAX = 10;

/**
 * What `attempt` gives, which reads, decides and writes on condition that nothing has changed since. It is made again when
 * another caller was first: it gave null, or its write failed with a conflict that is not `final`. Throws `conflict` after
 * ten attempts; `what` begins that sentence.
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
