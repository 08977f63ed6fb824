import type { AuditEntryView } from "../../../schema/contract/people.ts";
import { findNames } from "../../store/audit.ts";
import type { AuditRow } from "../../store/audit.ts";
import type { Deps } from "../deps.ts";

/** Entries as the API shows them, with the present names of what they are about. */
export async function toAuditViews(deps: Deps, rows: readonly AuditRow[]): Promise<AuditEntryView[]> {
  const names = await findNames(deps.db, rows.flatMap(idsIn));
  return rows.map((row) => ({ ...row, at: new Date(row.at).toISOString(), names: namesOf(row, names) }));
}

function namesOf(row: AuditRow, names: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(
    idsIn(row).flatMap((id) => {
      const name = names.get(id);
      return name === undefined ? [] : [[id, name]];
    }),
  );
}

/** The ids that an entry's detail and subject have, as far as things with names have them. */
function idsIn({ subjectId, detail: { workflowId, agentId, connectionId } }: AuditRow): string[] {
  return [subjectId, workflowId, agentId, connectionId].filter((id) => typeof id === "string");
}
