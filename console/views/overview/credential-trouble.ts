import type { CredentialStatus } from "../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";

/** The problem with a connection's credential, or null when its agents have it or it needs none. */
export function credentialTrouble({
  enabled,
  credentialStatus,
  credentials,
}: Pick<ConnectionView, "enabled" | "credentialStatus" | "credentials">): {
  status: CredentialStatus;
  message: string;
} | null {
  // A disabled connection runs no jobs.
  if (!enabled || credentialStatus === null || credentialStatus === "delivered") return null;
  const without = credentials.filter(({ status }) => status === credentialStatus);
  const reported = without.find(({ error }) => error !== null)?.error;
  return { status: credentialStatus, message: reported ?? messageFor(credentialStatus, without) };
}

function messageFor(status: CredentialStatus, without: ConnectionView["credentials"]): string {
  const agents = without.length === 1 ? "Its agent" : `${without.length} agents`;
  if (without.length === 0) return "No agent can receive it yet.";
  if (status === "failed") return `${agents} did not accept it. Deliver it again.`;
  if (status === "expired") return `${agents} did not fetch it in time. Deliver it again.`;
  return without.every(({ version }) => version === 0)
    ? "Not delivered yet."
    : `${agents} ${without.length === 1 ? "has" : "have"} not fetched it yet.`;
}
