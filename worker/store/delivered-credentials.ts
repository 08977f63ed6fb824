import { and, eq, inArray } from "drizzle-orm";
import { connections, credentials } from "../../schema/tables/index.ts";
import type { CredentialRow } from "../../schema/tables/index.ts";
import type { CredentialConnection } from "./credentials.ts";
import type { Database } from "./database.ts";

const ROWS_MAX = 20_000;

export interface DeliveredCredentials {
  connections: CredentialConnection[];
  credentials: Pick<CredentialRow, "connectionId" | "version" | "targetFloor" | "reported">[];
}

/** The credentials on agents, up to a bound, and their connections. Reads a row for each. */
export async function findDelivered(db: Database): Promise<DeliveredCredentials> {
  const isDelivered = and(eq(credentials.state, "present"), eq(credentials.status, "delivered"));
  const { id, type, config, usableBy, targetEdits } = connections;
  const { connectionId, version, targetFloor, reported } = credentials;
  const holds = db.select({ connectionId }).from(credentials).where(isDelivered);
  const [ofConnections, ofCredentials] = await Promise.all([
    db.select({ id, type, config, usableBy, targetEdits }).from(connections).where(inArray(id, holds)).limit(ROWS_MAX),
    db.select({ connectionId, version, targetFloor, reported }).from(credentials).where(isDelivered).limit(ROWS_MAX),
  ]);
  return { connections: ofConnections, credentials: ofCredentials };
}
