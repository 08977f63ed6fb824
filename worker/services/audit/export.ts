import { exportAudit as operation } from "../../../schema/contract/api/audit.ts";
import { toLines } from "../../../schema/contract/ndjson.ts";
import { AUDIT_EXPORT_LAG_MS, AUDIT_EXPORT_PAGE_ROWS } from "../../../schema/limits.ts";
import { listAuditAfter } from "../../store/audit.ts";
import type { AuditRow } from "../../store/audit.ts";
import type { Deps } from "../deps.ts";
import type { StreamAccess } from "../executions/index.ts";
import { firstIdAt } from "../ids.ts";
import { parseInput } from "../parse.ts";
import { filterOf } from "./filter.ts";
import { toAuditViews } from "./view.ts";

/**
 * The entries of the audit log up to a minute ago as lines of JSON, oldest first, a page at a time. Waits for the first page, so that a
 * database that is away is an error and not a broken answer. Throws in the middle when the caller's right has ended.
 */
export async function exportAudit(
  deps: Deps,
  query: unknown,
  access: StreamAccess,
): Promise<AsyncGenerator<string, void>> {
  const { after, ...rest } = parseInput(operation.query, query);
  const filter = filterOf(rest);
  // An entry that is written later than another one may have the lower id, and a caller who continues would never read it.
  const beforeId = firstIdAt("audit", deps.now() - AUDIT_EXPORT_LAG_MS);
  const read = (afterId: string | null) =>
    listAuditAfter(deps.db, filter, { afterId, beforeId, limit: AUDIT_EXPORT_PAGE_ROWS });
  // Ids have about the time of their entry: a search by id skips what is older.
  const start = filter.from === undefined ? null : firstIdAt("audit", filter.from - AUDIT_EXPORT_LAG_MS);
  const afterId = after ?? start;
  return pages(deps, await read(afterId), read, access);
}

async function* pages(
  deps: Deps,
  first: AuditRow[],
  read: (afterId: string) => Promise<AuditRow[]>,
  { endsAt, stillAllowed }: StreamAccess,
): AsyncGenerator<string, void> {
  for (let rows = first; ;) {
    const last = rows.at(-1);
    if (last === undefined) return;
    yield toLines(await toAuditViews(deps, rows));
    if (rows.length < AUDIT_EXPORT_PAGE_ROWS) return;
    if ((endsAt !== null && deps.now() >= endsAt) || !(await stillAllowed())) {
      throw new Error("the export ended early: its credentials may no longer read the audit log");
    }
    rows = await read(last.id);
  }
}
