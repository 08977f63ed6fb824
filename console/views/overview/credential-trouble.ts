import type { CredentialStatus } from "../../../schema/contract/credential.ts";
import type { SetUp } from "../../../schema/contract/overview.ts";
import { overview } from "../../strings/en/overview.ts";

const text = overview.setUp.credential;

type Connection = SetUp["withoutCredential"]["items"][number];

/** Why a connection's credential is not on all of its agents. */
export function credentialTrouble({ credentialStatus, credentials }: Omit<Connection, "id" | "name">): string {
  const without = credentials.filter(({ status }) => status === credentialStatus);
  return without.find(({ error }) => error !== null)?.error ?? messageFor(credentialStatus ?? "pending", without);
}

function messageFor(status: CredentialStatus, without: Connection["credentials"]): string {
  const agents = without.length;
  if (agents === 0) return text.noAgent;
  if (status === "failed" || status === "expired") return text[status](agents);
  return without.every(({ version }) => version === 0) ? text.notDelivered : text.pending(agents);
}
