import { listAudit as operation } from "../../../schema/contract/api/audit.ts";
import type { AuditEntryView } from "../../../schema/contract/people.ts";
import { listAudit } from "../../store/audit.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";

/** The audit log, newest first, by actor, verb, subject and time. */
export async function listAuditEntries(deps: Deps, query: unknown): Promise<Page<AuditEntryView>> {
  const { limit, beforeId, from, to, actor, verb, subjectType, subjectId } = parsePage("audit", operation, query);
  const rows = await listAudit(
    deps.db,
    {
      actor,
      verb,
      subjectType,
      subjectId,
      from: from === undefined ? undefined : Date.parse(from),
      to: to === undefined ? undefined : Date.parse(to),
    },
    { beforeId, limit: limit + 1 },
  );
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map((row) => ({ ...row, at: new Date(row.at).toISOString() })), nextCursor };
}
