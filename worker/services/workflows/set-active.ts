import type { WorkflowView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { toView } from "./view.ts";

/** Lets events, webhooks and the schedule start it, once it is published; clears an auto-disable. Safe to repeat. */
export async function activateWorkflow(deps: Deps, actor: string, id: string): Promise<WorkflowView> {
  const row = await changeWorkflow(deps, id, (row) =>
    row.active && row.autoDisabledAt === null
      ? null
      : {
          changes: {
            active: true,
            consecutiveFailures: 0,
            autoDisabledAt: null,
            autoDisableReason: null,
            // What fell due while it was inactive is not made up for: the next tick works out the next time.
            nextRunAt: null,
          },
          audit: { actor, verb: "activate", detail: { name: row.name } },
        },
  );
  return toView(row);
}

/** Only people start it any more, from the next request on (invariant 8). Safe to repeat. */
export async function deactivateWorkflow(deps: Deps, actor: string, id: string): Promise<WorkflowView> {
  const row = await changeWorkflow(deps, id, (row) =>
    row.active
      ? {
          changes: { active: false, nextRunAt: null },
          audit: { actor, verb: "deactivate", detail: { name: row.name } },
        }
      : null,
  );
  return toView(row);
}
