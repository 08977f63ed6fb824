import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { findMaintenanceWindow } from "../../store/maintenance-windows.ts";
import type { MaintenanceWindowRow } from "../../store/maintenance-windows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { toWindowView } from "./view.ts";

export async function getMaintenanceWindow(deps: Deps, id: string): Promise<MaintenanceWindowView> {
  return toWindowView(await requireWindow(deps, id), deps.now());
}

/** Throws `not_found`. */
export async function requireWindow(deps: Deps, id: string): Promise<MaintenanceWindowRow> {
  const row = await findMaintenanceWindow(deps.db, id);
  if (row === null) throw notFound("maintenance window", id);
  return row;
}
