import type { Failure } from "../../schema/contract/problem.ts";

/** The failure for an action, or a test of a connection, without an executor in this agent. `what` names it. */
export function unsupported(what: string, type: string): Failure {
  return {
    code: "unsupported_action",
    message:
      `This agent's version cannot run ${what}: it has no executor for it on a connection of type ${type}. ` +
      "Update the agent, or let the connection name an agent or a pool that can.",
  };
}
