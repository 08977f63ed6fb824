import { and, desc, eq, inArray, lt } from "drizzle-orm";
import { integrationDeliveries, integrations } from "../../schema/tables/index.ts";
import type { IntegrationDeliveryRow, IntegrationRow } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export type { IntegrationDeliveryRow, IntegrationRow };

export async function findIntegration(db: Database, id: string): Promise<IntegrationRow | null> {
  return (await db.select().from(integrations).where(eq(integrations.id, id)).get()) ?? null;
}

export async function findIntegrationByPrefix(db: Database, keyPrefix: string): Promise<IntegrationRow | null> {
  return (await db.select().from(integrations).where(eq(integrations.keyPrefix, keyPrefix)).get()) ?? null;
}

/** Newest first, up to `limit`. */
export function listIntegrations(
  db: Database,
  page: { beforeId: string | null; limit: number },
): Promise<IntegrationRow[]> {
  const before = page.beforeId === null ? undefined : lt(integrations.id, page.beforeId);
  return db.select().from(integrations).where(before).orderBy(desc(integrations.id)).limit(page.limit);
}

export function insertIntegration(db: Database, row: IntegrationRow): Statement {
  return db.insert(integrations).values(row);
}

export function updateIntegrationRow(
  db: Database,
  id: string,
  changes: Pick<IntegrationRow, "name" | "severities">,
): Statement {
  return db.update(integrations).set(changes).where(eq(integrations.id, id));
}

export function deleteIntegrationRow(db: Database, id: string): Statement {
  return db.delete(integrations).where(eq(integrations.id, id));
}

export function findDeliveries(
  db: Database,
  integrationId: string,
  deliveryKeys: readonly string[],
): Promise<IntegrationDeliveryRow[]> {
  return db
    .select()
    .from(integrationDeliveries)
    .where(
      and(
        eq(integrationDeliveries.integrationId, integrationId),
        inArray(integrationDeliveries.deliveryKey, [...deliveryKeys]),
      ),
    );
}

/** Fails as a conflict when the delivery was recorded before. */
export function insertDelivery(db: Database, row: IntegrationDeliveryRow): Statement {
  return db.insert(integrationDeliveries).values(row);
}

/** Keeps a delivery that repeats: an alert that fires for weeks stays the same one. */
export function touchDelivery(db: Database, row: IntegrationDeliveryRow, now: number): Statement {
  return db
    .update(integrationDeliveries)
    .set({ at: now })
    .where(
      and(
        eq(integrationDeliveries.integrationId, row.integrationId),
        eq(integrationDeliveries.deliveryKey, row.deliveryKey),
      ),
    );
}

export function deleteDeliveriesOf(db: Database, integrationId: string): Statement {
  return db.delete(integrationDeliveries).where(eq(integrationDeliveries.integrationId, integrationId));
}
