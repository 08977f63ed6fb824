import { connectionTargetSchema, needsCredential } from "../../../schema/contract/connection.ts";
import type { CredentialStatus } from "../../../schema/contract/credential.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { agentsOfPools } from "../../store/agents.ts";
import { findCredentialStatuses } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { maskConfig } from "./mask.ts";

/** Connections as the API shows them: secrets masked, and how far the delivery of their credentials is. */
export async function viewConnections(deps: Deps, rows: readonly ConnectionRow[]): Promise<ConnectionView[]> {
  const inNeed = rows.filter(asksForCredential);
  if (inNeed.length === 0) return rows.map((row) => toView(row, null));
  const poolIds = inNeed.flatMap((row) => (row.agentId === null && row.poolId !== null ? [row.poolId] : []));
  const [statuses, members] = await Promise.all([
    findCredentialStatuses(
      deps.db,
      inNeed.map((row) => row.id),
    ),
    agentsOfPools(deps.db, [...new Set(poolIds)]),
  ]);
  const byConnection = Map.groupBy(statuses, (status) => status.connectionId);
  const byPool = Map.groupBy(members, (member) => member.poolId);
  return rows.map((row) => {
    if (!asksForCredential(row)) return toView(row, null);
    const known = new Map((byConnection.get(row.id) ?? []).map(({ agentId, status }) => [agentId, status]));
    const agentIds = row.agentId === null ? (byPool.get(row.poolId ?? "") ?? []).map(({ id }) => id) : [row.agentId];
    return toView(row, worstStatus(agentIds.map((agentId) => known.get(agentId) ?? "pending")));
  });
}

export async function viewConnection(deps: Deps, row: ConnectionRow): Promise<ConnectionView> {
  const [view] = await viewConnections(deps, [row]);
  return view ?? toView(row, null);
}

const BADNESS = { delivered: 0, pending: 1, expired: 2, failed: 3 } as const satisfies Record<CredentialStatus, number>;

/** What a connection shows of its agents' statuses (design 6). Nobody to deliver to means that nothing is delivered. */
export function worstStatus(statuses: readonly CredentialStatus[]): CredentialStatus {
  return statuses.reduce<CredentialStatus>(
    (worst, status) => (BADNESS[status] > BADNESS[worst] ? status : worst),
    statuses.length === 0 ? "pending" : "delivered",
  );
}

/** What was stored under an older form of its type counts as needing one: it must be looked at anyway. */
function asksForCredential({ type, config }: ConnectionRow): boolean {
  const target = connectionTargetSchema.safeParse({ type, config });
  return !target.success || needsCredential(target.data);
}

function toView(row: ConnectionRow, credentialStatus: CredentialStatus | null): ConnectionView {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    config: maskConfig(row.type, row.config),
    agentId: row.agentId,
    poolId: row.poolId,
    enabled: row.enabled,
    credentialStatus,
    revision: row.revision,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
