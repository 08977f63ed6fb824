import { writeBatch } from "../../store/database.ts";
import { isConflict } from "../../store/errors.ts";
import { deleteDeliveriesOf, deleteIntegrationRow, findIntegration } from "../../store/integrations.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";

/** Its key is refused from the next delivery on (invariant 8); the incidents that it made stay. */
export async function deleteIntegration(deps: Deps, actor: string, id: string): Promise<{ id: string }> {
  const row = await findIntegration(deps.db, id);
  if (row === null) throw notFound("integration", id);
  const audit = recordIfChanged(deps, {
    actor,
    verb: "delete",
    subjectType: "integration",
    subjectId: id,
    detail: { name: row.name, kind: row.kind },
  });
  try {
    await writeBatch(deps.db, [deleteIntegrationRow(deps.db, id), audit, deleteDeliveriesOf(deps.db, id)]);
  } catch (error) {
    // Another request deleted it at the same moment.
    if (isConflict(error)) throw notFound("integration", id);
    throw error;
  }
  return { id };
}
