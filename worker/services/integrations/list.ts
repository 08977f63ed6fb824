import { listIntegrations as operation } from "../../../schema/contract/api/integrations.ts";
import type { IntegrationView } from "../../../schema/contract/integration.ts";
import { listIntegrations } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toIntegrationView } from "./view.ts";

/** Integrations, newest first. */
export async function listIntegrationViews(deps: Deps, query: unknown): Promise<Page<IntegrationView>> {
  const { limit, beforeId } = parsePage("integration", operation, query);
  const rows = await listIntegrations(deps.db, { limit: limit + 1, beforeId });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toIntegrationView), nextCursor };
}
