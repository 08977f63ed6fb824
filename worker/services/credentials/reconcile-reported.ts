import type { JsonObject } from "../../../schema/contract/json.ts";
import { takesCredential } from "../../../schema/contract/connection.ts";
import { isDoneThere, judgeReported } from "../../domain/credential/judge-reported.ts";
import type { HeldCredentials, ReportedChange } from "../../domain/credential/judge-reported.ts";
import { targetMismatch } from "../../domain/credential/usable.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import {
  NOTHING_SEALED,
  adoptCredential,
  changeCredential,
  findConnectionsOf,
  findCredentialsOfAgent,
  findDueSyncs,
  forgetCredential,
} from "../../store/credentials.ts";
import type { CredentialConnection, CredentialRecord, ReportedRow } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { prepareSyncs } from "./order-syncs.ts";
import { wantedCredential } from "./wanted-credential.ts";

const LOST = "The agent no longer has the credential. Deliver it again.";

/** The difference between an agent's credentials and those that it should have. */
export interface CredentialDifference {
  /** Jobs that bring the agent what it lacks, for its dispatcher to enqueue. */
  orders: JobOrder[];
  /** Connections whose credential on this agent is for another target than the present one. */
  unusable: string[];
}

/**
 * Applies an agent's changed report of its credentials: updates the records, and returns jobs for what the agent must
 * get (docs/design/credentials.md#what-agents-report). Safe to repeat.
 */
export async function reconcileReported(
  deps: Deps,
  agentId: string,
  reported: HeldCredentials,
): Promise<CredentialDifference> {
  const rows = await findCredentialsOfAgent(deps.db, agentId);
  const recorded = new Map(rows.map((row) => [row.credential.connectionId, row]));
  const strange = [...reported.keys()].filter((id) => !recorded.has(id));
  const others = strange.length === 0 ? [] : await findConnectionsOf(deps.db, strange);
  const types = new Map(others.map(({ id, type }) => [id, type]));
  const changes = judgeReported(rows.map(toDesired), reported, new Set(types.keys()));
  const statements = changes.flatMap((change) => [
    ...statementFor(deps, agentId, change, { recorded, types }),
    ...auditOf(deps, agentId, change, { reported, row: recorded.get(change.connectionId)?.credential }),
  ]);
  if (statements.length > 0) await writeBatch(deps.db, statements);
  const known = [
    ...rows.map(({ connection, credential }) => ({ connection, credential })),
    ...others.map((connection) => ({ connection, credential: null })),
  ];
  return {
    orders: await prepareSyncs(deps, await findDueSyncs(deps.db, { agentIds: [agentId] })),
    unusable: known.flatMap((one) => unusableAmong(reported, one)),
  };
}

/** The service does not know who acts on the agent's machine, so the entry names the agent. */
function auditOf(
  deps: Deps,
  agentId: string,
  change: ReportedChange,
  { reported, row }: { reported: HeldCredentials; row: CredentialRecord | undefined },
): Statement[] {
  if (!isDoneThere(change, row)) return [];
  const { connectionId } = change;
  const held = reported.get(connectionId);
  const isBound: JsonObject = held?.target === undefined ? {} : { bound: held.target !== null };
  return [
    recordIfChanged(deps, {
      actor: `agent:${agentId}`,
      verb: "credential-changed",
      subjectType: "connection",
      subjectId: connectionId,
      detail: { agentId, version: held?.version ?? null, formerVersion: row?.version ?? null, ...isBound },
    }),
  ];
}

function unusableAmong(
  reported: HeldCredentials,
  { connection, credential }: { connection: CredentialConnection | null; credential: { targetFloor: number } | null },
): string[] {
  const held = connection === null ? undefined : reported.get(connection.id);
  if (connection === null || held === undefined || !takesCredential(connection.type)) return [];
  return targetMismatch(held, wantedCredential(connection, credential)) === null ? [] : [connection.id];
}

function toDesired({ credential, connection, isRecipient }: ReportedRow) {
  const { connectionId, state, version, status, reported, sealed } = credential;
  return { connectionId, state, version, status, reported, sealed, connectionExists: connection !== null, isRecipient };
}

function statementFor(
  deps: Deps,
  agentId: string,
  change: ReportedChange,
  {
    recorded,
    types,
  }: { recorded: ReadonlyMap<string, ReportedRow>; types: ReadonlyMap<string, ReportedRow["credential"]["type"]> },
): Statement[] {
  const updatedAt = deps.now();
  const { connectionId } = change;
  const seen = recorded.get(connectionId)?.credential;
  if (change.type === "adopt") {
    const type = seen?.type ?? types.get(connectionId) ?? null;
    const { held } = change;
    return [
      adoptCredential(deps.db, { connectionId, agentId, type, version: held.version, reported: held, updatedAt }),
    ];
  }
  if (seen === undefined) return [];
  switch (change.type) {
    case "reached": {
      const { version, held: reported } = change;
      const done = { version, reported, status: "delivered" as const, error: null, ...NOTHING_SEALED };
      return [changeCredential(deps.db, seen, { ...done, updatedAt })];
    }
    case "forget":
      return [forgetCredential(deps.db, seen)];
    case "lost":
      return [changeCredential(deps.db, seen, { status: "pending", error: LOST, jobId: null, updatedAt })];
    case "withdraw": {
      const absent = { state: "absent" as const, version: change.version, status: "pending" as const, error: null };
      return [changeCredential(deps.db, seen, { ...absent, ...NOTHING_SEALED, updatedAt })];
    }
  }
}
