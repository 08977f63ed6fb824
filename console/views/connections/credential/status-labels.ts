import { needsCredential } from "../../../../schema/contract/connection.ts";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";

/** The meaning of a credential's status on an agent, and the next step. Empty when the agent's error says it. */
export function nextStep({ status, version, error }: AgentCredential): string {
  switch (status) {
    case "delivered":
      return version === 0 ? "It was set on the agent's machine." : "The agent has it in its vault.";
    case "pending":
      // The error says what to do.
      if (error !== null) return "";
      if (version > 0) {
        return "It is encrypted and waits for the agent to fetch it: seconds while the agent is online, 24 hours at most.";
      }
      return "Nothing was delivered to this agent yet.";
    case "failed":
      return "The agent did not accept it. Fix the reported problem, then deliver again.";
    case "expired":
      return "The agent did not fetch it in time, and the service deleted it. Start the agent, then deliver again.";
  }
}

type Credentials = Pick<ConnectionView, "type" | "config" | "credentialStatus" | "credentials">;

/**
 * Whether a connection that needs no credential still waits for one, because its agents left with it. Withdrawing the
 * credential ends the wait.
 */
export function isOnlyRemembered({ type, config, credentialStatus, credentials }: Credentials): boolean {
  if (credentialStatus === null || credentials.some(isHeld)) return false;
  return needsCredential({ type, config }) === false;
}

/** Whether an agent has a credential, or one is on its way to it. */
export function isHeld({ status, version }: AgentCredential): boolean {
  return version > 0 || status === "delivered";
}
