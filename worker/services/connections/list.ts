import { listConnections as operation } from "../../../schema/contract/api/connections.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { listConnections } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { viewConnections } from "./view.ts";

export async function listConnectionViews(deps: Deps, query: unknown): Promise<Page<ConnectionView>> {
  const { limit, beforeId } = parsePage("connection", operation, query);
  const rows = await listConnections(deps.db, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: await viewConnections(deps, items), nextCursor };
}
