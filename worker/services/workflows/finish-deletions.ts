import { WORKFLOW_RESTORE_MS } from "../../../schema/limits.ts";
import {
  deleteExecutionRows,
  deleteVersions,
  endedExecutions,
  finallyDeleted,
  makeDeletionsFinal,
} from "../../store/deleted-workflows.ts";
import type { Deps } from "../deps.ts";

const WORKFLOWS_AT_ONCE = 20;
const EXECUTIONS_AT_ONCE = 20;
const ROWS_AT_ONCE = 500;
/** Of all workflows together, so that other writes of the minute are not delayed. */
const PORTIONS = 20;

/**
 * The sweeper's part: a deletion is final after 24 hours. Then executions that ended a day ago are deleted with their
 * node runs and jobs, in bounded portions, and at the end the versions. Later reports about them meet no execution.
 */
export async function finishDeletions(deps: Deps, now: number): Promise<void> {
  const until = now - WORKFLOW_RESTORE_MS;
  await makeDeletionsFinal(deps.db, until);
  let portions = PORTIONS;
  for (const id of await finallyDeleted(deps.db, until, WORKFLOWS_AT_ONCE)) {
    for (; portions > 0; portions -= 1) {
      const ended = await endedExecutions(deps.db, id, until, EXECUTIONS_AT_ONCE);
      if (ended.length === 0) break;
      await deleteExecutionRows(deps.db, ended, ROWS_AT_ONCE);
    }
    await deleteVersions(deps.db, id, ROWS_AT_ONCE);
  }
}
