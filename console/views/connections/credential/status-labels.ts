import { needsCredential } from "../../../../schema/contract/connection.ts";
import type { AgentCredential } from "../../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import { credentials } from "../../../strings/en/credentials.ts";

const { next } = credentials.statuses;
const { held } = credentials.agents;

/** The meaning of a credential's status on an agent, and the next step. Empty when the agent's error says it. */
export function nextStep({ status, version, error }: AgentCredential): string {
  switch (status) {
    case "delivered":
      return version === 0 ? next.setOnMachine : next.delivered;
    case "pending":
      // The error says what to do.
      if (error !== null) return "";
      return version > 0 ? next.waiting : next.none;
    case "failed":
      return next.failed;
    case "expired":
      return next.expired;
  }
}

/** What an agent has before a delivery. */
export function heldLabel(credential: AgentCredential | undefined): string {
  if (credential === undefined) return held.none;
  const { status, version, error } = credential;
  switch (status) {
    case "delivered":
      return version === 0 ? held.setOnMachine : held.delivered(version);
    case "pending":
      if (version === 0) return held.none;
      return error === null ? held.waiting(version) : held.otherTarget(version);
    case "failed":
      return held.failed(version);
    case "expired":
      return held.expired(version);
  }
}

type Credentials = Pick<ConnectionView, "type" | "config" | "credentialStatus" | "credentials">;

/**
 * Whether a connection that needs no credential still waits for one, because its agents left with it. Withdrawing the
 * credential ends the wait.
 */
export function isOnlyRemembered({ type, config, credentialStatus, credentials: ofAgents }: Credentials): boolean {
  if (credentialStatus === null || ofAgents.some(isHeld)) return false;
  return needsCredential({ type, config }) === false;
}

/** Whether an agent has a credential, or one is on its way to it. */
export function isHeld({ status, version }: AgentCredential): boolean {
  return version > 0 || status === "delivered";
}
