import { EXPORTED_KINDS } from "../../../schema/contract/retention.ts";
import type {
  DueRows,
  RecordExport,
  RetainedKind,
  Retention,
  RetentionPeriods,
} from "../../../schema/contract/retention.ts";
import { RETENTION_COUNT_MAX } from "../../../schema/limits.ts";
import { periodsAt } from "../../domain/retention.ts";
import type { ChosenPeriods } from "../../domain/retention.ts";
import { shownFailure } from "../../domain/retention-export.ts";
import { findExports } from "../../store/retention-exports.ts";
import { countDue } from "../../store/retention-due.ts";
import type { RetentionKindRow } from "../../store/retention.ts";
import { findKinds, findProgress } from "../../store/retention.ts";
import { readEnds } from "../../store/retention-figures.ts";
import type { Deps } from "../deps.ts";
import { oldestTime } from "./oldest.ts";
import { dueAt, readPeriods } from "./periods.ts";

const DAY_MS = 24 * 60 * 60_000;

export async function readRetention(deps: Deps): Promise<Retention> {
  const [chosen, progress, exports] = await Promise.all([readPeriods(deps), findProgress(deps.db), readExports(deps)]);
  const now = deps.now();
  const { passAt, passMs, passRows } = progress;
  return {
    revision: chosen.revision,
    periods: chosen.periods,
    former: pendingOf(chosen, now),
    ...(await readKinds(deps, periodsAt(chosen, now + DAY_MS), now)),
    lastPass: passAt === null ? null : { at: toIso(passAt), durationMs: passMs ?? 0, rows: passRows ?? 0 },
    exports,
  };
}

/** Null when records are deleted without an export. */
export async function readExports({ db, settings }: Deps): Promise<RecordExport[] | null> {
  if (settings.recordExport === null) return null;
  const rows = new Map((await findExports(db)).map((row) => [row.kind, row]));
  return EXPORTED_KINDS.map((kind) => {
    const row = rows.get(kind);
    if (row === undefined) return { kind, rows: 0, bytes: 0, exportedAt: null, failure: null };
    const exportedAt = row.exportedAt === null ? null : toIso(row.exportedAt);
    return { kind, rows: row.rows, bytes: row.bytes, exportedAt, failure: shownFailure(row) };
  });
}

function pendingOf({ periods, former }: ChosenPeriods<RetentionPeriods>, now: number): Retention["former"] {
  if (former === null || now >= former.until) return null;
  const chosen = new Map(Object.entries(periods));
  const longer = Object.entries(former.periods).filter(([name, days]) => days > (chosen.get(name) ?? days));
  return longer.length === 0 ? null : { periods: Object.fromEntries(longer), until: toIso(former.until) };
}

async function readKinds(
  deps: Deps,
  periods: RetentionPeriods,
  now: number,
): Promise<Pick<Retention, "kinds" | "countedAt">> {
  const [rows, ends, due] = await Promise.all([
    findKinds(deps.db),
    readEnds(deps.db),
    countDueBy(deps, periods, now + DAY_MS),
  ]);
  const known = new Map(rows.map((row) => [row.kind, row]));
  const countedAt = rows.find((row) => row.countedAt !== null)?.countedAt ?? null;
  const kinds = ends.map(({ kind, upTo, oldest }) => {
    const row = known.get(kind);
    const oldestAt = oldestTime(kind, oldest);
    const estimated = row?.countedAt == null ? null : estimateRows(row, upTo);
    return {
      kind,
      rows: estimated,
      bytes: estimated === null ? null : estimated * (row?.bytesPerRow ?? 0),
      newPerDay: row?.newPerDay ?? null,
      oldestAt: oldestAt === null ? null : toIso(oldestAt),
      nextDay: due.get(kind) ?? { rows: 0, isMore: false },
      deleted: row?.deleted ?? 0,
    };
  });
  return { kinds, countedAt: countedAt === null ? null : toIso(countedAt) };
}

/** New rows have higher row numbers. */
function estimateRows(row: RetentionKindRow, upTo: number): number {
  const added = Math.max(0, upTo - row.countedUpTo);
  return Math.max(0, row.counted + added - (row.deleted - row.countedDeleted));
}

/** How many rows of each kind are due at a time. */
export async function countDueBy(
  deps: Deps,
  periods: RetentionPeriods,
  at: number,
): Promise<Map<RetainedKind, DueRows>> {
  const counts = await countDue(deps.db, dueAt(periods, at), RETENTION_COUNT_MAX + 1);
  return new Map(counts.map(({ kind, rows }) => [kind, bounded(rows)]));
}

/** A count that stopped at one more than the most. */
export function bounded(rows: number): DueRows {
  return { rows: Math.min(rows, RETENTION_COUNT_MAX), isMore: rows > RETENTION_COUNT_MAX };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
