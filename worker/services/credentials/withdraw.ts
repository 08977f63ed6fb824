import type { AgentCredential } from "../../../schema/contract/credential.ts";
import { findConnection } from "../../store/connections.ts";
import { withdrawCredentials } from "../../store/credential-ends.ts";
import { findHolders, findRecipients } from "../../store/credentials.ts";
import { writeBatch } from "../../store/database.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { reviewJobs } from "../connections/index.ts";
import { notFound } from "../not-found.ts";
import { agentCredentials } from "./agent-credentials.ts";
import { orderSyncs } from "./order-syncs.ts";

/** Withdraws a connection's credential from every agent, and returns their statuses. Safe to repeat. */
export async function withdrawCredential(deps: Deps, actor: string, connectionId: string): Promise<AgentCredential[]> {
  const connection = await findConnection(deps.db, connectionId);
  if (connection === null) throw notFound("connection", connectionId);
  await writeBatch(deps.db, [
    ...withdrawCredentials(deps.db, connectionId, deps.now()),
    record(deps, {
      actor,
      verb: "withdraw-credential",
      subjectType: "connection",
      subjectId: connectionId,
      detail: { name: connection.name },
    }),
  ]);
  await orderSyncs(deps, await findHolders(deps.db, connectionId));
  // Jobs that waited for the credential can run now, if the type works without one.
  await reviewJobs(deps, connection);
  return agentCredentials(connection, await findRecipients(deps.db, connectionId));
}
