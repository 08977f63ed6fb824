import type { AuditSubjectType, AuditVerb } from "../../schema/contract/audit-labels.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { insertAudit, insertAuditIfChanged, replaceAuditIfChanged } from "../store/audit.ts";
import type { AuditRow } from "../store/audit.ts";
import { writeBatch } from "../store/database.ts";
import type { Statement } from "../store/database.ts";
import type { Deps } from "./deps.ts";

export type { AuditRow };

/** One write of a person or a token. `detail` holds names and ids, never a secret (invariant 6). */
export interface AuditEntry {
  actor: string;
  verb: AuditVerb;
  subjectType: AuditSubjectType;
  subjectId: string;
  detail?: JsonObject;
}
/** The statement that inserts the entry. It belongs in the batch of the write that the entry describes. */
export function record(deps: Deps, entry: AuditEntry): Statement {
  return insertAudit(deps.db, toAuditRow(deps, entry));
}

/** Like `record`, directly after a conditional update: if that met no row, the whole batch fails as a conflict. */
export function recordIfChanged(deps: Deps, entry: AuditEntry): Statement {
  return insertAuditIfChanged(deps.db, toAuditRow(deps, entry));
}

/** Like `recordIfChanged`, for a further part of the write that an entry describes: the entry gets the new detail. */
export function recordFurtherIfChanged(deps: Deps, former: AuditRow, detail: JsonObject): Statement {
  return replaceAuditIfChanged(deps.db, { ...former, detail });
}

/** Records a write of another object before that write, so that the log misses none. */
export async function recordFirst(deps: Deps, entry: AuditEntry): Promise<void> {
  await writeBatch(deps.db, [record(deps, entry)]);
}

/** The entry as a row, for a batch that an object writes. */
export function toAuditRow(deps: Deps, entry: AuditEntry): AuditRow {
  return { id: deps.newId("audit"), at: deps.now(), ...entry, detail: entry.detail ?? {} };
}
