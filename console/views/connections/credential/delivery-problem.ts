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
      "The credential was delivered or withdrawn after you opened this dialog, perhaps by your own earlier attempt, or the connection's target was edited. The agents above were updated: check the target and the credential's status, then deliver again if necessary.";
    return new Error(message, { cause: error });
  }
  const named = error.errors.map(({ path }) => names[Number(OF_AN_AGENT.exec(path)?.[1])]);
  const agents = named.filter((name) => name !== undefined);
  if (agents.length === 0 || agents.length < named.length) return error;
  const message = `The key of ${[...new Set(agents)].join(", ")} has changed, or the connection now runs elsewhere. The agents above were updated: compare the fingerprints again before you deliver.`;
  return new Error(message, { cause: error });
}
