import type { AuditSubjectType, AuditVerb } from "../../schema/contract/audit-words.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { insertAudit, insertAuditIfChanged } from "../store/audit.ts";
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
/** The entry's statement, for the batch of the write that it tells of. */
export function record(deps: Deps, entry: AuditEntry): Statement {
  return insertAudit(deps.db, toAuditRow(deps, entry));
}

/** The same, right behind a conditional update: when that met no row, the whole batch fails as a conflict. */
export function recordIfChanged(deps: Deps, entry: AuditEntry): Statement {
  return insertAuditIfChanged(deps.db, toAuditRow(deps, entry));
}

/** Before a write that another object makes: nothing happens that the log does not show. */
export async function recordFirst(deps: Deps, entry: AuditEntry): Promise<void> {
  await writeBatch(deps.db, [record(deps, entry)]);
}

/** The entry as a row, for a batch that an object writes. */
export function toAuditRow(deps: Deps, entry: AuditEntry): AuditRow {
  return { id: deps.newId("audit"), at: deps.now(), ...entry, detail: entry.detail ?? {} };
}
