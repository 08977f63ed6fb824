import type { WorkflowView } from "../../../schema/contract/management.ts";
import { findVersionTrigger } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { nextRunOf } from "../schedule/index.ts";
import { changeAndShow } from "./change-and-show.ts";

/**
 * Lets events, webhooks and the schedule start the workflow, once it is published; clears an auto-disable and its count
 * of failures. Runs that were due while it was inactive are not made up for. Safe to repeat.
 */
export async function activateWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  return changeAndShow(
    deps,
    id,
    async (row) => {
      if (row.active && row.autoDisabledAt === null && row.consecutiveFailures === 0) return null;
      const keepsNextRun = row.active && row.nextRunAt !== null;
      return {
        changes: {
          active: true,
          consecutiveFailures: 0,
          autoDisabledAt: null,
          autoDisableReason: null,
          ...(keepsNextRun ? {} : { nextRunAt: await nextRunFromNow(deps, row) }),
        },
        audit: { actor, verb: "activate", detail: { name: row.name } },
      };
    },
    expected,
  );
}

async function nextRunFromNow(deps: Deps, { publishedVersionId }: WorkflowRow): Promise<number | null> {
  const trigger = publishedVersionId === null ? null : await findVersionTrigger(deps.db, publishedVersionId);
  return nextRunOf(trigger, deps.now());
}

/** From the next request on, only people can start the workflow (invariant 8). Safe to repeat. */
export async function deactivateWorkflow(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<WorkflowView> {
  return changeAndShow(
    deps,
    id,
    (row) =>
      row.active
        ? {
            changes: { active: false, nextRunAt: null },
            audit: { actor, verb: "deactivate", detail: { name: row.name } },
          }
        : null,
    expected,
  );
}
