import type { CredentialStatus } from "../../../schema/contract/credential.ts";
import type { SetUp } from "../../../schema/contract/overview.ts";

type Connection = SetUp["withoutCredential"]["items"][number];

/** Why a connection's credential is not on all of its agents. */
export function credentialTrouble({ credentialStatus, credentials }: Omit<Connection, "id" | "name">): string {
  const without = credentials.filter(({ status }) => status === credentialStatus);
  return without.find(({ error }) => error !== null)?.error ?? messageFor(credentialStatus ?? "pending", without);
}

function messageFor(status: CredentialStatus, without: Connection["credentials"]): string {
  const agents = without.length === 1 ? "Its agent" : `${without.length} agents`;
  if (without.length === 0) return "No agent can receive it yet.";
  if (status === "failed") return `${agents} did not accept it. Deliver it again.`;
  if (status === "expired") return `${agents} did not fetch it in time. Deliver it again.`;
  return without.every(({ version }) => version === 0)
    ? "Not delivered yet."
    : `${agents} ${without.length === 1 ? "has" : "have"} not fetched it yet.`;
}
