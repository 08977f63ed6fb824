import type { ExportedKind } from "../../../schema/contract/retention.ts";
import { exportRetryAt } from "../../domain/retention-export.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { failureMessage, isConflict } from "../../store/errors.ts";
import { StorageFailure } from "../../store/record-storage.ts";
import { findTrees } from "../../store/removed-executions.ts";
import {
  beginPortion,
  dropPortion,
  endPortion,
  findExport,
  isPortion,
  saveFailure,
} from "../../store/retention-exports.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { exportPortion } from "./export-portion.ts";
import type { UnreadRecord } from "./exported-records.ts";

interface Deletion {
  /** The ids that are due, a portion of them. */
  choose(): Promise<string[]>;
  /** Deletes them, in one batch that begins with these statements. Returns the number of rows. */
  remove(ids: readonly string[], before: readonly Statement[]): Promise<number>;
}

/**
 * Deletes a portion; when an export is set up, after its records are in the storage. While that fails, nothing is
 * deleted. A portion keeps its ids until it is deleted, so an interrupted export writes the same objects again.
 */
export async function deleteExported(deps: Deps, kind: ExportedKind, { choose, remove }: Deletion): Promise<number> {
  const { db, settings } = deps;
  const { recordExport } = settings;
  if (recordExport === null) {
    const ids = await choose();
    return ids.length === 0 ? 0 : remove(ids, []);
  }
  const state = await findExport(db, kind);
  if (state !== null && deps.now() < exportRetryAt(state)) return 0;
  const begun = state?.portion ?? null;
  const ids = begun === null ? await choose() : toIds(begun);
  if (ids.length === 0) return 0;
  const portion = begun ?? JSON.stringify(ids);
  if (begun === null && !(await beginPortion(db, kind, portion))) return 0;
  try {
    if (!recordExport.ok) throw new StorageFailure(`The settings are wrong. ${recordExport.problems.join(". ")}.`);
    const isCurrent = () => isPortion(db, kind, portion);
    const done = await exportPortion(deps, recordExport.storage, kind, ids, isCurrent);
    if (done === null) return 0;
    const { kept, problem } = await leftOut(deps, ids, done.unread);
    if (problem !== null) logWarning("records could not be exported and stay", { kind, error: problem });
    const chosen = ids.filter((id) => !kept.has(id));
    return await remove(chosen, endPortion(db, kind, portion, { ...done, problem, at: deps.now() }));
  } catch (error) {
    // Another pass has deleted the portion, or a longer period has dropped it.
    if (isConflict(error) || !(await isPortion(db, kind, portion))) return 0;
    const reason =
      error instanceof StorageFailure ? error.message : `The records could not be read: ${failureMessage(error)}`;
    logWarning("the export before deletion failed; nothing of this kind is deleted until it works", {
      kind,
      error: failureMessage(error),
    });
    await writeBatch(db, [saveFailure(db, kind, reason, deps.now())]);
    return 0;
  }
}

/** The ids of a portion that stay, because they or an execution below them could not be read, and why. */
async function leftOut(
  { db }: Deps,
  ids: readonly string[],
  unread: readonly UnreadRecord[],
): Promise<{ kept: Set<string>; problem: string | null }> {
  const kept = new Set<string>();
  const [first, ...others] = unread;
  if (first === undefined) return { kept, problem: null };
  const missing = new Set(unread.map(({ id }) => id));
  for (const id of ids) if ((await findTrees(db, [id])).some((one) => missing.has(one))) kept.add(id);
  const more = others.length === 0 ? "" : ` ${others.length} more could not be read.`;
  return { kept, problem: `The execution ${first.id} could not be read, and stays: ${first.problem}.${more}` };
}

/** After a period became longer: what was chosen by the former one may no longer be due. */
export function forgetPortions({ db }: Pick<Deps, "db">, kinds: readonly ExportedKind[]): Statement[] {
  return kinds.map((kind) => dropPortion(db, kind));
}

function toIds(portion: string): string[] {
  const ids: string[] = JSON.parse(portion);
  return ids;
}
