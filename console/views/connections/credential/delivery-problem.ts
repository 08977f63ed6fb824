import { ApiProblem } from "../../../api/problem.ts";
import { credentials } from "../../../strings/en/credentials.ts";

const text = credentials.deliver.problems;

const OF_AN_AGENT = /^sealed\.(\d+)\./u;

/**
 * Why a delivery was refused, in terms of the dialog. The service's message names positions in the request instead.
 * `names` are the agents of that request, in its order.
 */
export function asDeliveryError(error: unknown, names: readonly string[]): unknown {
  if (!(error instanceof ApiProblem)) return error;
  if (error.status === 409) {
    return new Error(text.overtaken, { cause: error });
  }
  const named = error.errors.map(({ path }) => names[Number(OF_AN_AGENT.exec(path)?.[1])]);
  const agents = named.filter((name) => name !== undefined);
  if (agents.length === 0 || agents.length < named.length) return error;
  return new Error(text.otherKey([...new Set(agents)]), { cause: error });
}
