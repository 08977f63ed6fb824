import type { WorkflowView } from "../../../schema/contract/management.ts";
import { WORKFLOW_RESTORE_MS } from "../../../schema/limits.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { writeBatch } from "../../store/database.ts";
import { findDeletedWorkflow, forgetDeleted, restoreWorkflowRow } from "../../store/deleted-workflows.ts";
import { isConflict } from "../../store/errors.ts";
import { findVersionTrigger, findWorkflow, markGatePushed } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import { recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { nextRunOf } from "../schedule/index.ts";
import { storeInOrder } from "../two-stores.ts";
import { lastExecutionsOf } from "./last-executions.ts";
import { configureGate, gateOf, pushGate } from "./push-gate.ts";
import { toView } from "./view.ts";

/**
 * Brings back a workflow that was deleted in the last 24 hours, with its webhook key and secret. Runs that were due
 * meanwhile are not made up for. Safe to repeat.
 */
export async function restoreWorkflow(deps: Deps, actor: string, id: string): Promise<WorkflowView> {
  const last = await lastExecutionsOf(deps, [id]);
  const row = await retryOnConflict("This workflow", async () => {
    const present = await findWorkflow(deps.db, id);
    if (present !== null) {
      // A gate that did not answer an earlier attempt.
      if (present.gateEpoch !== present.gatePushedEpoch) await pushGate(deps, present);
      return present;
    }
    return bringBack(deps, actor, id);
  });
  return toView(row, last, deps.now());
}

/** Null when another caller was first. */
async function bringBack(deps: Deps, actor: string, id: string): Promise<WorkflowRow | null> {
  const now = deps.now();
  const row = await findDeletedWorkflow(deps.db, id, now - WORKFLOW_RESTORE_MS);
  if (row === null) {
    // Restored since the caller looked.
    if ((await findWorkflow(deps.db, id)) !== null) return null;
    throw notFound("workflow", id);
  }
  const trigger = row.publishedVersionId === null ? null : await findVersionTrigger(deps.db, row.publishedVersionId);
  const nextRunAt = row.active ? nextRunOf(trigger, now) : null;
  const gate = gateOf(row);
  const isBack = await storeInOrder({
    seen: { epoch: row.gateEpoch, pushedEpoch: row.gatePushedEpoch },
    revoke: null,
    grant: gate && ((epoch) => configureGate(deps, gate, epoch, "Restored, but the webhook's gate does not answer.")),
    reserve: () => Promise.resolve(true),
    commit: async ({ epoch, pushedEpoch }) => {
      const changes = { nextRunAt, gateEpoch: epoch, gatePushedEpoch: pushedEpoch, updatedAt: now };
      const audit = {
        actor,
        verb: "restore",
        subjectType: "workflow",
        subjectId: id,
        detail: { name: row.name },
      } as const;
      try {
        await writeBatch(deps.db, [
          restoreWorkflowRow(deps.db, row, changes),
          recordIfChanged(deps, audit),
          forgetDeleted(deps.db, id),
        ]);
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    markPushed: (epoch) => markGatePushed(deps.db, id, epoch),
  });
  return isBack ? findWorkflow(deps.db, id) : null;
}
