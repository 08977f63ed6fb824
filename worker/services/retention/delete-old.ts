import {
  RETENTION_EVENTS_KEEP_MS,
  RETENTION_PASS_MAX_MS,
  RETENTION_PASS_MAX_ROWS,
  WORKFLOW_RESTORE_MS,
} from "../../../schema/limits.ts";
import { periodsAt } from "../../domain/retention.ts";
import { writeBatch } from "../../store/database.ts";
import {
  deleteVersions,
  finallyDeleted,
  makeDeletionsFinal,
  removableExecutions,
} from "../../store/deleted-workflows.ts";
import { deleteOldWindows } from "../../store/maintenance-windows.ts";
import { deletePartsOfRemoved, firstTrees, removeExecutions } from "../../store/removed-executions.ts";
import { saveProgress } from "../../store/retention.ts";
import { dueExecutions } from "../../store/retention-due.ts";
import type { DueAt } from "../../store/retention-due.ts";
import {
  PLAIN_KINDS,
  deleteAudit,
  deleteDueIncidents,
  deleteDueRows,
  deleteOldEvents,
  findDueAudit,
} from "../../store/retention-portions.ts";
import type { Deps } from "../deps.ts";
import { auditDeletions } from "./audit-deletions.ts";
import { deleteExported } from "./export-first.ts";
import { dueAt, readPeriods } from "./periods.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A portion is one batch: small, so that other writes wait for it only briefly. */
const EXECUTIONS_AT_ONCE = 100;
/** With their sub-workflows, triggers, outputs and jobs. One execution may have more. */
const TREES_AT_ONCE = { executions: 500, bytes: 8_000_000 };
const INCIDENTS_AT_ONCE = 50;
const ROWS_AT_ONCE = 500;
const WORKFLOWS_AT_ONCE = 20;
/** After each portion, as a multiple of its time, which includes its wait for other writes. */
const PAUSE_FACTOR = 3;
const PAUSE_MAX_MS = 1_000;

/** Deletes one portion. Returns how many rows it deleted or looked at; 0 when nothing is left to do. */
type Portion = (deps: Deps, due: DueAt) => Promise<number>;

const PORTIONS: readonly Portion[] = [
  portionOfExecutions,
  ({ db }, { at }) => deleteOldEvents(db, at - RETENTION_EVENTS_KEEP_MS, ROWS_AT_ONCE),
  ({ db }, due) => deleteDueIncidents(db, due, { incidents: INCIDENTS_AT_ONCE, rows: ROWS_AT_ONCE }),
  portionOfAudit,
  // A longer period of a workflow keeps the windows that its executions name.
  ({ db }, { at, periods }) => deleteOldWindows(db, at - periods.executionDays * DAY_MS, ROWS_AT_ONCE),
  ...PLAIN_KINDS.map(
    (kind): Portion =>
      ({ db }, due) =>
        deleteDueRows(db, kind, due, ROWS_AT_ONCE),
  ),
];

/**
 * The minute's part: deletes records whose time is over, and what is left of workflows that were deleted a day ago, in
 * portions that take turns, up to a number of rows and for a limited time. The next pass continues. Between two
 * portions it waits, so that other queries have their turn.
 */
export async function deleteOldRecords(deps: Deps, now: number): Promise<void> {
  await makeDeletionsFinal(deps.db, now - WORKFLOW_RESTORE_MS);
  const startedAt = deps.now();
  const hasRoom = () => rows < RETENTION_PASS_MAX_ROWS && deps.now() - startedAt < RETENTION_PASS_MAX_MS;
  let rows = 0;
  for (let open = PORTIONS; open.length > 0 && hasRoom();) {
    const unfinished: Portion[] = [];
    for (const portion of open) {
      if (!hasRoom()) break;
      const beganAt = deps.now();
      // Read for each portion: a longer period applies at once.
      const deleted = await portion(deps, dueAt(periodsAt(await readPeriods(deps), now), now));
      if (deleted === 0) continue;
      rows += deleted;
      unfinished.push(portion);
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(PAUSE_FACTOR * (deps.now() - beganAt), PAUSE_MAX_MS)),
      );
    }
    open = unfinished;
  }
  if (rows > 0) {
    const passMs = deps.now() - startedAt;
    await writeBatch(deps.db, [saveProgress(deps.db, { passAt: startedAt, passMs, passRows: rows })]);
  }
  await auditDeletions(deps);
}

/** First what belongs to removed executions, so that few wait for it, then further executions, then versions. */
async function portionOfExecutions(deps: Deps, due: DueAt): Promise<number> {
  const { db } = deps;
  const parts = await deletePartsOfRemoved(db, {
    executions: EXECUTIONS_AT_ONCE,
    rows: ROWS_AT_ONCE,
    bytes: TREES_AT_ONCE.bytes,
  });
  if (parts > 0) return parts;
  const old = await deleteExecutions(deps, due.at, () => dueExecutions(db, due, EXECUTIONS_AT_ONCE));
  return old > 0 ? old : portionOfDeletedWorkflows(deps, due.at - WORKFLOW_RESTORE_MS, due.at);
}

function deleteExecutions(deps: Deps, at: number, choose: () => Promise<string[]>): Promise<number> {
  return deleteExported(deps, "executions", {
    choose: async () => firstTrees(deps.db, fromAnother(await choose(), at), TREES_AT_ONCE),
    remove: (ids, before) => removeExecutions(deps.db, ids, at, before),
  });
}

/** Another one is the first in each minute: one that cannot be exported, and fills a portion alone, holds up no others. */
function fromAnother(ids: readonly string[], at: number): string[] {
  const first = Math.floor(at / MINUTE_MS) % Math.max(1, ids.length);
  return [...ids.slice(first), ...ids.slice(0, first)];
}

function portionOfAudit(deps: Deps, due: DueAt): Promise<number> {
  return deleteExported(deps, "audit", {
    choose: () => findDueAudit(deps.db, due, ROWS_AT_ONCE),
    remove: (ids, before) => deleteAudit(deps.db, ids, before),
  });
}

/** Of the first workflow with any: executions that ended a day ago, and the versions after the last execution. */
async function portionOfDeletedWorkflows(deps: Deps, until: number, now: number): Promise<number> {
  const { db } = deps;
  for (const id of await finallyDeleted(db, until, WORKFLOWS_AT_ONCE)) {
    const rows = await deleteExecutions(deps, now, () => removableExecutions(db, id, until, EXECUTIONS_AT_ONCE));
    // Nothing happens while it has executions.
    const versions = await deleteVersions(db, id, ROWS_AT_ONCE);
    if (rows + versions > 0) return rows + versions;
  }
  return 0;
}
