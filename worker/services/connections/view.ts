import { mistakeIn, needsCredential, takesCredential } from "../../../schema/contract/connection.ts";
import type { AgentCredential, CredentialStatus } from "../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { findRecipientsOf } from "../../store/credentials.ts";
import { agentCredentials } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";
import { maskConfig } from "./mask.ts";

/** Connections as the API shows them: secrets masked, with the delivery status of their credentials. */
export async function viewConnections(deps: Deps, rows: readonly ConnectionRow[]): Promise<ConnectionView[]> {
  const recipients = await findRecipientsOf(
    deps.db,
    rows.map((row) => row.id),
  );
  const byConnection = Map.groupBy(recipients, (recipient) => recipient.connectionId);
  return rows.map((row) => {
    const own = byConnection.get(row.id) ?? [];
    // A configuration of an older form counts as needing a credential: a person must look at it anyway. A connection
    // with an optional credential wants one on every agent from its first delivery until its withdrawal.
    const isWanted =
      takesCredential(row.type) &&
      (needsCredential(row) !== false ||
        row.hadCredential ||
        own.some(({ credential }) => credential?.state === "present"));
    return toView(row, isWanted ? agentCredentials(row, own) : null);
  });
}

export async function viewConnection(deps: Deps, row: ConnectionRow): Promise<ConnectionView> {
  const [view] = await viewConnections(deps, [row]);
  return view ?? toView(row, null);
}

const BADNESS = { delivered: 0, pending: 1, expired: 2, failed: 3 } as const satisfies Record<CredentialStatus, number>;

/**
 * The status that a connection shows for all its agents (docs/design/credentials.md#delivery-states). Without agents
 * nothing is delivered, so it is pending.
 */
export function worstStatus(statuses: readonly CredentialStatus[]): CredentialStatus {
  return statuses.reduce<CredentialStatus>(
    (worst, status) => (BADNESS[status] > BADNESS[worst] ? status : worst),
    statuses.length === 0 ? "pending" : "delivered",
  );
}

/** `credentials` is null for a connection that works without one. */
function toView(row: ConnectionRow, credentials: AgentCredential[] | null): ConnectionView {
  const mistake = mistakeIn(row);
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: maskConfig(row.type, row.config),
    agentId: row.agentId,
    poolId: row.poolId,
    usableBy: row.usableBy,
    enabled: row.enabled,
    credentialStatus: credentials === null ? null : worstStatus(credentials.map(({ status }) => status)),
    credentials: credentials ?? [],
    ...(mistake === null ? {} : { warnings: [mistake] }),
    revision: row.revision,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
