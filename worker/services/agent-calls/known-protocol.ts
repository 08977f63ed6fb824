import { AGENT_PROTOCOLS } from "../../../schema/contract/agent.ts";
import { partsOf } from "../parse.ts";
import { ProblemError } from "../problem.ts";

/**
 * Returns a registration's body. Throws `invalid_request` for an unknown version of the protocol before the rest is
 * checked, because the rest may have another shape in that version.
 */
export function requireKnownProtocol(body: unknown): unknown {
  const { protocol } = partsOf(body);
  // The body's schema reports a value that is not a number, with the other problems.
  if (typeof protocol !== "number" || AGENT_PROTOCOLS.includes(protocol)) return body;
  const spoken = AGENT_PROTOCOLS.join(", ");
  throw new ProblemError(
    "invalid_request",
    `This service speaks version ${spoken} of the agent protocol, and the agent asks for ${protocol}. ${
      protocol > Math.max(...AGENT_PROTOCOLS)
        ? "Update the service first, or run an older release of the agent."
        : "Update the agent."
    }`,
    { errors: [{ path: "protocol", message: `must be one of ${spoken}` }] },
  );
}
