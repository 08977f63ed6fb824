import { ApiProblem } from "../../../api/problem.ts";

const OF_AN_AGENT = /^sealed\.(\d+)\./u;

/**
 * Why a delivery was refused, in terms of the dialog. The service's message names positions in the request instead.
 * `names` are the agents of that request, in its order.
 */
export function asDeliveryError(error: unknown, names: readonly string[]): unknown {
  if (!(error instanceof ApiProblem)) return error;
  if (error.status === 409) {
    const message =
      "Since this was opened the credential was delivered or withdrawn, perhaps by a try of yours whose answer was lost, or the connection's target was edited. The agents above were read again: check the target and the credential's status, and deliver again if it is still needed.";
    return new Error(message, { cause: error });
  }
  const named = error.errors.map(({ path }) => names[Number(OF_AN_AGENT.exec(path)?.[1])]);
  const agents = named.filter((name) => name !== undefined);
  if (agents.length === 0 || agents.length < named.length) return error;
  const message = `The key of ${[...new Set(agents)].join(", ")} is another one now, or the connection runs elsewhere. The agents above are read anew: compare the fingerprints again before you deliver.`;
  return new Error(message, { cause: error });
}
