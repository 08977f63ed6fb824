import { INTEGRATION_DELIVERIES_KEEP_MS } from "../../../schema/limits.ts";
import { deleteDeliveriesBefore } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";

/** Forgets deliveries of which nothing more came for 30 days. */
export async function pruneDeliveries(deps: Deps): Promise<void> {
  await deleteDeliveriesBefore(deps.db, deps.now() - INTEGRATION_DELIVERIES_KEEP_MS);
}
