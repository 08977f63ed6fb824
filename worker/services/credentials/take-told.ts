import { judgeTold } from "../../domain/credential/judge-told.ts";
import type { ToldChange, ToldVersions } from "../../domain/credential/judge-told.ts";
import type { JobOrder } from "../../domain/run-types.ts";
import {
  NOTHING_SEALED,
  adoptCredential,
  changeCredential,
  findConnectionTypes,
  findCredentialsOfAgent,
  findDueSyncs,
  forgetCredential,
} from "../../store/credentials.ts";
import type { ToldRow } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import type { Deps } from "../deps.ts";
import { prepareSyncs } from "./order-syncs.ts";

const LOST = "The agent no longer has it: deliver it again.";

/**
 * An agent said that it has other credentials than before: the records follow, and what is to be brought to it becomes
 * jobs, which the agent's Pool takes in (design 6). Safe to repeat.
 */
export async function takeTold(deps: Deps, agentId: string, told: ToldVersions): Promise<JobOrder[]> {
  const rows = await findCredentialsOfAgent(deps.db, agentId);
  const recorded = new Map(rows.map((row) => [row.credential.connectionId, row]));
  const strange = [...told.keys()].filter((id) => !recorded.has(id));
  const types = new Map(
    (strange.length === 0 ? [] : await findConnectionTypes(deps.db, strange)).map(({ id, type }) => [id, type]),
  );
  const changes = judgeTold(rows.map(toDesired), told, new Set(types.keys()));
  const statements = changes.flatMap((change) => statementFor(deps, agentId, change, { recorded, types }));
  if (statements.length > 0) await writeBatch(deps.db, statements);
  return await prepareSyncs(deps, await findDueSyncs(deps.db, { agentIds: [agentId] }));
}

function toDesired({ credential, connectionExists, isRecipient }: ToldRow) {
  const { connectionId, state, version, status, sealed } = credential;
  return { connectionId, state, version, status, sealed, connectionExists, isRecipient };
}

function statementFor(
  deps: Deps,
  agentId: string,
  change: ToldChange,
  {
    recorded,
    types,
  }: { recorded: ReadonlyMap<string, ToldRow>; types: ReadonlyMap<string, ToldRow["credential"]["type"]> },
): Statement[] {
  const updatedAt = deps.now();
  const { connectionId } = change;
  const seen = recorded.get(connectionId)?.credential;
  if (change.type === "adopt") {
    const type = seen?.type ?? types.get(connectionId) ?? null;
    return [adoptCredential(deps.db, { connectionId, agentId, type, version: change.version, updatedAt })];
  }
  if (seen === undefined) return [];
  switch (change.type) {
    case "reached": {
      const done = { version: change.version, status: "delivered" as const, error: null, ...NOTHING_SEALED };
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
