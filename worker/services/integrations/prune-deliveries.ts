import { INTEGRATION_DELIVERIES_KEEP_MS } from "../../../schema/limits.ts";
import { deleteDeliveriesBefore } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";

/** Deletes notes of deliveries that were not used for 30 days. */
export async function pruneDeliveries(deps: Deps): Promise<void> {
  await deleteDeliveriesBefore(deps.db, deps.now() - INTEGRATION_DELIVERIES_KEEP_MS);
}
