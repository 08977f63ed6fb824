import type { JsonObject } from "../../../schema/contract/json.ts";
import { writeBatch } from "../../store/database.ts";
import type { Statement } from "../../store/database.ts";
import { keepDeleted } from "../../store/deleted-workflows.ts";
import { isConflict } from "../../store/errors.ts";
import {
  deleteWorkflowRow,
  findWorkflow,
  markGatePushed,
  reserveGateEpoch,
  updateWorkflow,
} from "../../store/workflows.ts";
import type { WorkflowChanges, WorkflowRow } from "../../store/workflows.ts";
import type { AuditEntry, AuditRow } from "../audit-record.ts";
import { recordFurtherIfChanged, recordIfChanged } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { validOldSecrets } from "../../domain/old-secrets.ts";
import { notFound } from "../not-found.ts";
import { requireRevision } from "../precondition.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { storeInOrder } from "../two-stores.ts";
import { retryOnConflict } from "../../actors/kit/retry-on-conflict.ts";
import { configureGate, gateOf, pushGate } from "./push-gate.ts";
import type { GateTarget } from "./push-gate.ts";

export interface WorkflowChange {
  changes: WorkflowChanges | "delete";
  /** For a deletion: whether its executions go by retention, not with it. */
  keepsExecutions?: boolean;
  /** Statements for the same batch. */
  also?: readonly Statement[];
  audit: Pick<AuditEntry, "actor" | "verb"> & { detail: JsonObject };
  /** The entry of which this change is a further part. */
  continues?: AuditRow | null;
}

/**
 * Changes a workflow in libSQL and, if its settings change, in its webhook gate. `decide` gets the row and returns the
 * change, or null for none; it is called again when another writer was first. Returns the row after the change. Only a
 * row of an expected revision changes.
 */
export async function changeWorkflow(
  deps: Deps,
  id: string,
  decide: (row: WorkflowRow) => WorkflowChange | null | Promise<WorkflowChange | null>,
  expected: ExpectedRevisions = null,
): Promise<WorkflowRow> {
  return retryOnConflict("This workflow", async () => {
    const row = await findWorkflow(deps.db, id);
    if (row === null) throw notFound("workflow", id);
    requireRevision(expected, row.revision);
    const change = await decide(row);
    if (change === null) {
      if (row.gateEpoch !== row.gatePushedEpoch) await pushGate(deps, row);
      return row;
    }
    const next =
      change.changes === "delete"
        ? null
        : { ...row, ...change.changes, revision: row.revision + 1, updatedAt: deps.now() };
    return (await store(deps, row, next, change)) ? (next ?? row) : null;
  });
}

async function store(deps: Deps, row: WorkflowRow, next: WorkflowRow | null, change: WorkflowChange): Promise<boolean> {
  const { revoke, grant } = gateChange(gateOf(row), next === null ? null : gateOf(next));
  return storeInOrder({
    seen: { epoch: row.gateEpoch, pushedEpoch: row.gatePushedEpoch },
    revoke:
      revoke &&
      ((epoch) => configureGate(deps, revoke, epoch, "The webhook's gate does not answer, so nothing was changed.")),
    grant: grant && ((epoch) => configureGate(deps, grant, epoch, "Saved, but the webhook's gate does not answer.")),
    reserve: (epoch) => reserveGateEpoch(deps.db, row, epoch),
    commit: async ({ expectedEpoch, epoch, pushedEpoch }) => {
      const seen = { id: row.id, revision: row.revision, gateEpoch: expectedEpoch };
      const writes =
        next === null || change.changes === "delete"
          ? [
              keepDeleted(deps.db, row.id, { deletedAt: deps.now(), keepsExecutions: change.keepsExecutions ?? false }),
              deleteWorkflowRow(deps.db, seen),
            ]
          : [
              updateWorkflow(deps.db, seen, {
                ...change.changes,
                gateEpoch: epoch,
                gatePushedEpoch: pushedEpoch,
                updatedAt: next.updatedAt,
              }),
            ];
      const { audit: entry, continues = null } = change;
      const audit =
        continues === null
          ? recordIfChanged(deps, { ...entry, subjectType: "workflow", subjectId: row.id })
          : recordFurtherIfChanged(deps, continues, entry.detail);
      try {
        await writeBatch(deps.db, [...writes, audit, ...(change.also ?? [])]);
        return true;
      } catch (error) {
        if (isConflict(error)) return false;
        throw error;
      }
    },
    markPushed: (epoch) => markGatePushed(deps.db, row.id, epoch),
  });
}

/** The settings for the gates, before or after libSQL. Another key is another gate. */
export function gateChange(
  before: GateTarget | null,
  after: GateTarget | null,
): { revoke: GateTarget | null; grant: GateTarget | null } {
  if (before === null) return { revoke: null, grant: after };
  if (after === null || after.webhookKey !== before.webhookKey) {
    return { revoke: { ...before, settings: { ...before.settings, revoked: true } }, grant: after };
  }
  if (isSame(before, after)) return { revoke: null, grant: null };
  const refusesMore = endsSecret(before, after) || !startsSomething(after);
  return startsSomething(before) && refusesMore ? { revoke: after, grant: null } : { revoke: null, grant: after };
}

/** Whether a secret is not valid any longer. */
function endsSecret({ settings: before }: GateTarget, { settings: after }: GateTarget): boolean {
  const valid = new Set(secretsOf(after));
  return secretsOf(before).some((secretHash) => !valid.has(secretHash));
}

function secretsOf({ secretHash, oldSecret }: GateTarget["settings"]): string[] {
  return [secretHash, ...validOldSecrets(oldSecret, 0).map((old) => old.secretHash)];
}

function isSame({ settings: a }: GateTarget, { settings: b }: GateTarget): boolean {
  // A version never changes, and so its payload does not.
  return (
    a.versionId === b.versionId &&
    a.active === b.active &&
    a.secretHash === b.secretHash &&
    a.requestsPerMinute === b.requestsPerMinute
  );
}

function startsSomething({ settings }: GateTarget): boolean {
  return settings.active && settings.versionId !== null;
}
