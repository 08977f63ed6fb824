import { listMaintenanceWindows as operation } from "../../../schema/contract/api/maintenance.ts";
import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { listMaintenanceWindows } from "../../store/maintenance-windows.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toWindowView } from "./view.ts";

/** Newest first. */
export async function listMaintenanceWindowViews(deps: Deps, query: unknown): Promise<Page<MaintenanceWindowView>> {
  const { limit, beforeId, state = null } = parsePage("maintenanceWindow", operation, query);
  const now = deps.now();
  const rows = await listMaintenanceWindows(deps.db, { beforeId, limit: limit + 1, state }, now);
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map((row) => toWindowView(row, now)), nextCursor };
}
