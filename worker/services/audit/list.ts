import { listAuditQuerySchema } from "../../../schema/contract/people.ts";
import type { AuditEntryView } from "../../../schema/contract/people.ts";
import { listAudit } from "../../store/audit.ts";
import type { Deps } from "../deps.ts";
import { decodeCursor, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { parseInput } from "../parse.ts";

/** The audit log, newest first, by actor, verb, subject and time. */
export async function listAuditEntries(deps: Deps, query: unknown): Promise<Page<AuditEntryView>> {
  const { limit, cursor, from, to, actor, verb, subjectType, subjectId } = parseInput(listAuditQuerySchema, query);
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
    { beforeId: decodeCursor("audit", cursor), limit: limit + 1 },
  );
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map((row) => ({ ...row, at: new Date(row.at).toISOString() })), nextCursor };
}
