import type { MaintenanceWindowView } from "../../../schema/contract/maintenance.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import { deleteMaintenanceWindowRow, updateMaintenanceWindow } from "../../store/maintenance-windows.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { checkWindow, windowDetail } from "./check.ts";
import { requireWindow } from "./get.ts";
import { toWindowView } from "./view.ts";

/** An end that is now or before ends the window. */
export async function replaceMaintenanceWindow(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions,
): Promise<MaintenanceWindowView> {
  return retryOnConflict("This maintenance window", async () => {
    const before = await requireWindow(deps, id);
    requireRevision(expected, before.revision);
    const fields = await checkWindow(deps, input, before);
    const row = { ...before, ...fields, revision: before.revision + 1, updatedAt: deps.now() };
    const audit = { actor, verb: "update", subjectType: "maintenance-window", subjectId: id } as const;
    await writeBatch(deps.db, [
      updateMaintenanceWindow(deps.db, row),
      recordIfChanged(deps, { ...audit, detail: windowDetail(fields) }),
    ]);
    return toWindowView(row, deps.now());
  });
}

/** Ends the window, too: what it held begins, and what it asked about still waits for a person. */
export async function deleteMaintenanceWindow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions,
): Promise<{ id: string }> {
  return retryOnConflict("This maintenance window", async () => {
    const row = await requireWindow(deps, id);
    requireRevision(expected, row.revision);
    const audit = { actor, verb: "delete", subjectType: "maintenance-window", subjectId: id } as const;
    await writeBatch(deps.db, [
      deleteMaintenanceWindowRow(deps.db, row),
      recordIfChanged(deps, { ...audit, detail: { name: row.name } }),
    ]);
    return { id };
  });
}
