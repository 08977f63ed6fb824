import type { SetUp } from "../../../schema/contract/overview.ts";
import { OVERVIEW_CONNECTIONS_MAX, OVERVIEW_ITEMS_MAX } from "../../../schema/limits.ts";
import { listConnections } from "../../store/connections.ts";
import { viewConnections } from "../connections/index.ts";
import type { Deps } from "../deps.ts";
import { toSection } from "./section.ts";

/** Connections whose agents lack the credential. A disabled connection runs no jobs. */
export async function connectionsWithoutCredential(
  deps: Deps,
): Promise<{ hasConnection: boolean; section: SetUp["withoutCredential"] }> {
  const rows = await listConnections(deps.db, { beforeId: null, limit: OVERVIEW_CONNECTIONS_MAX });
  const views = await viewConnections(
    deps,
    rows.filter(({ enabled }) => enabled),
  );
  const lacking = views.filter(({ credentialStatus: status }) => status !== null && status !== "delivered");
  const section = toSection(lacking, OVERVIEW_ITEMS_MAX, ({ id, name, credentialStatus, credentials }) => {
    return { id, name, credentialStatus, credentials };
  });
  return { hasConnection: rows.length > 0, section };
}
