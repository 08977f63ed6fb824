import { needsCredential } from "../../../../schema/contract/connection.ts";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";

/** Where an agent's share of a credential stands, and what to do about it, beside the agent's own words. */
export function nextStep({ status, version, error }: AgentCredential): string {
  switch (status) {
    case "delivered":
      return version === 0 ? "It was put in on the agent's own machine." : "The agent has it in its vault.";
    case "pending":
      // The reason says what to do.
      if (error !== null) return "";
      if (version > 0) {
        return "It waits, sealed, for the agent to fetch it: within seconds when the agent is online, and for 24 hours at most.";
      }
      return "Nothing was delivered to this agent yet.";
    case "failed":
      return "The agent did not take it. Fix what it names, and deliver again.";
    case "expired":
      return "The agent did not fetch it in time, so the service threw it away. See that the agent runs, and deliver again.";
  }
}

type Credentials = Pick<ConnectionView, "type" | "config" | "credentialStatus" | "credentials">;

/**
 * Whether it could do without a credential, and still asks for the one that agents had which left with it: withdrawing
 * ends that.
 */
export function isOnlyRemembered({ type, config, credentialStatus, credentials }: Credentials): boolean {
  if (credentialStatus === null || credentials.some(isHeld)) return false;
  return needsCredential({ type, config }) === false;
}

/** Whether an agent has anything to take back. */
export function isHeld({ status, version }: AgentCredential): boolean {
  return version > 0 || status === "delivered";
}
