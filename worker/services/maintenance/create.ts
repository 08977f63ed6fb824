import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { writeBatch } from "../../store/database.ts";
import { insertMaintenanceWindow } from "../../store/maintenance-windows.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { checkWindow, windowDetail } from "./check.ts";
import { toWindowView } from "./view.ts";

export async function createMaintenanceWindow(
  deps: Deps,
  actor: string,
  input: unknown,
): Promise<MaintenanceWindowView> {
  const fields = await checkWindow(deps, input, null);
  const now = deps.now();
  const row = { id: deps.newId("maintenanceWindow"), ...fields, revision: 1, createdAt: now, updatedAt: now };
  const audit = { actor, verb: "create", subjectType: "maintenance-window", subjectId: row.id } as const;
  await writeBatch(deps.db, [
    insertMaintenanceWindow(deps.db, row),
    record(deps, { ...audit, detail: windowDetail(fields) }),
  ]);
  return toWindowView(row, now);
}
