import { storedDraft } from "../../../schema/contract/draft.ts";
import { BEARER } from "../../../schema/contract/webhook-verification.ts";
import type { LastExecution, WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { WEBHOOK_REQUESTS_PER_WINDOW } from "../../../schema/limits.ts";
import { lastUntil, validOldSecrets } from "../../domain/old-secrets.ts";
import type { LastExecutionRow } from "../../store/execution-reads.ts";
import type { WorkflowRow, WorkflowVersionRow } from "../../store/workflows.ts";

type Last = LastExecutionRow & Pick<LastExecution, "isWaiting">;

/** A workflow as the API shows it: the draft and its published state, without the secret's hash. */
export function toView(row: WorkflowRow, lastExecutions: readonly Last[], now: number): WorkflowView {
  const last = lastExecutions.find(({ workflowId }) => workflowId === row.id);
  return {
    id: row.id,
    ...storedDraft(row),
    tags: row.tags,
    retentionFormer: row.retentionFormer && {
      ...row.retentionFormer.periods,
      until: new Date(row.retentionFormer.until).toISOString(),
    },
    problems: row.problems,
    published: row.publishedVersionId !== null,
    publishedVersionId: row.publishedVersionId,
    active: row.active,
    autoDisabledAt: toIso(row.autoDisabledAt),
    autoDisableReason: row.autoDisableReason,
    nextRunAt: toIso(row.nextRunAt),
    webhookKey: row.webhookKey,
    webhook: row.webhookKey === null ? null : webhookOf(row, now),
    lastExecution: last === undefined ? null : toLastExecution(last),
    revision: row.revision,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function webhookOf(row: WorkflowRow, now: number): WorkflowView["webhook"] {
  const until = lastUntil(validOldSecrets(row.webhookOldSecret, now));
  return {
    verification: row.webhookVerification ?? BEARER,
    oldSecretUntil: until === null ? null : toIso(until),
    requestsPerMinute: row.webhookRequestsPerMinute ?? WEBHOOK_REQUESTS_PER_WINDOW,
  };
}

export function toVersionView(row: WorkflowVersionRow): WorkflowVersionView {
  return {
    id: row.id,
    workflowId: row.workflowId,
    number: row.number,
    trigger: row.trigger,
    definition: row.definition,
    publishedAt: new Date(row.publishedAt).toISOString(),
    publishedBy: row.publishedBy,
    message: row.message,
  };
}

function toLastExecution({ id, status, isWaiting, startedAt, finishedAt }: Last): LastExecution {
  return { id, status, isWaiting, startedAt: new Date(startedAt).toISOString(), finishedAt: toIso(finishedAt) };
}

function toIso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
