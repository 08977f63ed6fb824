import { RETENTION_COUNT_EVERY_MS } from "../../../schema/limits.ts";
import { writeBatch } from "../../store/database.ts";
import { findKinds, saveCount } from "../../store/retention.ts";
import { countRows, readEnds } from "../../store/retention-figures.ts";
import type { Deps } from "../deps.ts";

const DAY_MS = 24 * 60 * 60_000;

/**
 * The minute's part: counts the records once a day. Between two counts, row numbers and counted deletions say how many
 * there are (`estimate.ts`).
 */
export async function countKinds(deps: Deps, now: number): Promise<void> {
  const before = new Map((await findKinds(deps.db)).map((row) => [row.kind, row]));
  const last = Math.max(...[...before.values()].map(({ countedAt }) => countedAt ?? 0));
  if (now - last < RETENTION_COUNT_EVERY_MS) return;
  const [counts, ends] = await Promise.all([countRows(deps.db), readEnds(deps.db)]);
  const upTo = new Map(ends.map((end) => [end.kind, end.upTo]));
  await writeBatch(
    deps.db,
    counts.map(({ kind, rows, bytesPerRow }) => {
      const former = before.get(kind);
      const countedUpTo = upTo.get(kind) ?? 0;
      const elapsedDays = former?.countedAt == null ? null : (now - former.countedAt) / DAY_MS;
      const added = Math.max(0, countedUpTo - (former?.countedUpTo ?? 0));
      return saveCount(deps.db, {
        kind,
        countedAt: now,
        counted: rows,
        countedUpTo,
        countedDeleted: former?.deleted ?? 0,
        bytesPerRow,
        newPerDay: elapsedDays === null ? null : Math.round(added / elapsedDays),
      });
    }),
  );
}
