import { listAudit as operation } from "../../../schema/contract/api/audit.ts";
import type { AuditEntryView } from "../../../schema/contract/people.ts";
import { listAudit } from "../../store/audit.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { filterOf } from "./filter.ts";
import { toAuditViews } from "./view.ts";

/** The audit log, newest first, by actor, verb, subject and time. */
export async function listAuditEntries(deps: Deps, query: unknown): Promise<Page<AuditEntryView>> {
  const { limit, beforeId, ...filter } = parsePage("audit", operation, query);
  const rows = await listAudit(deps.db, filterOf(filter), { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: await toAuditViews(deps, items), nextCursor };
}
