import { listAudit as operation } from "../../../schema/contract/api/audit.ts";
import type { AuditEntryView } from "../../../schema/contract/people.ts";
import { findNames, listAudit } from "../../store/audit.ts";
import type { AuditRow } from "../../store/audit.ts";
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
  const names = await findNames(deps.db, items.flatMap(idsIn));
  return {
    items: items.map((row) => ({
      ...row,
      at: new Date(row.at).toISOString(),
      names: namesOf(row, names),
    })),
    nextCursor,
  };
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
