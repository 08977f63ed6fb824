import { BEARER } from "../../../schema/contract/webhook-verification.ts";
import { markGatePushed, reserveGateEpoch, workflowsWithGateBehind } from "../../store/workflows.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import { failureMessage } from "../../store/errors.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import type { GateSettings } from "../ports.ts";
import { storeInOrder } from "../two-stores.ts";
import { reach } from "../unavailable.ts";

/** A workflow's gate and its settings. The epoch comes with the change that sends them. */
export interface GateTarget {
  webhookKey: string;
  settings: Omit<GateSettings, "epoch">;
}

/** Null for a workflow without a webhook key. The gate ignores a published version with another trigger. */
export function gateOf(row: WorkflowRow): GateTarget | null {
  if (row.webhookKey === null || row.webhookSecretHash === null) return null;
  return {
    webhookKey: row.webhookKey,
    settings: {
      workflowId: row.id,
      versionId: row.publishedTriggerType === "webhook" ? row.publishedVersionId : null,
      payload: row.publishedPayload,
      active: row.active,
      verification: row.webhookVerification ?? BEARER,
      secretHash: row.webhookSecretHash,
      oldSecret: row.webhookOldSecret,
      requestsPerMinute: row.webhookRequestsPerMinute,
      revoked: false,
    },
  };
}

export function configureGate(deps: Deps, gate: GateTarget, epoch: number, said: string): Promise<void> {
  const { webhookKey, settings } = gate;
  return reach(said, () => deps.objects.gate(webhookKey).configure(webhookKey, { ...settings, epoch }));
}

/** Sends libSQL's settings to a workflow's gate again. Does nothing when another writer is changing the workflow. */
export async function pushGate(deps: Deps, row: WorkflowRow): Promise<void> {
  const gate = gateOf(row);
  if (gate === null) return;
  await storeInOrder({
    seen: { epoch: row.gateEpoch, pushedEpoch: row.gatePushedEpoch },
    revoke: null,
    grant: (epoch) => configureGate(deps, gate, epoch, "The webhook's gate does not answer."),
    reserve: (epoch) => reserveGateEpoch(deps.db, row, epoch),
    commit: ({ epoch }) => reserveGateEpoch(deps.db, row, epoch),
    markPushed: (epoch) => markGatePushed(deps.db, row.id, epoch),
  });
}

/** The sweeper's part: every workflow whose gate may hold other settings. */
export async function pushBehindGates(deps: Deps, limit: number): Promise<void> {
  for (const row of await workflowsWithGateBehind(deps.db, limit)) {
    try {
      await pushGate(deps, row);
    } catch (error) {
      logWarning("a webhook's gate could not be notified of a change; it is tried again in a minute", {
        workflowId: row.id,
        error: failureMessage(error),
      });
    }
  }
}
