import { AGENT_PROTOCOLS } from "../../../schema/contract/agent.ts";
import { partsOf } from "../parse.ts";
import { ProblemError } from "../problem.ts";

/**
 * Gives back a registration's body. Throws `invalid_request` when it is of a version of the protocol that this service
 * does not speak: before the rest is looked at, which may have another form there.
 */
export function requireKnownProtocol(body: unknown): unknown {
  const { protocol } = partsOf(body);
  // What is no number at all is told with whatever else is wrong with the body.
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
