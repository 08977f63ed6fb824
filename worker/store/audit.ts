import { sql } from "drizzle-orm";
import type { JsonObject } from "../../schema/contract/json.ts";
import { auditLog } from "../../schema/tables/index.ts";
import type { Database, Statement } from "./database.ts";

export interface AuditRow {
  id: string;
  at: number;
  actor: string;
  verb: string;
  subjectType: string;
  subjectId: string;
  detail: JsonObject;
}

/** For a batch whose other statements cannot miss. */
export function insertAudit(db: Database, row: AuditRow): Statement {
  return db.insert(auditLog).values(row);
}

/**
 * For a batch that stands or falls with a conditional update: it comes right behind that update. An update that met no
 * row does not fail by itself; this row then has no id, which fails the batch whole, and `isConflict` knows it.
 */
export function insertAuditIfChanged(db: Database, row: AuditRow): Statement {
  return db.insert(auditLog).values({ ...row, id: sql`case when changes() > 0 then ${row.id} end` });
}
