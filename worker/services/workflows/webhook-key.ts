import type { z } from "zod";
import type { webhookKeyAnswerSchema } from "../../../schema/contract/webhook-verification.ts";
import { SECRET_PARAMETER } from "../../../schema/contract/webhook-trigger.ts";
import {
  BEARER,
  makeWebhookKeySchema,
  replaceWebhookSecretSchema,
} from "../../../schema/contract/webhook-verification.ts";
import type { OldSecret, WebhookVerification } from "../../../schema/contract/webhook-verification.ts";
import { WEBHOOK_OLD_SECRETS_MAX } from "../../../schema/limits.ts";
import { lastUntil, validOldSecrets } from "../../domain/old-secrets.ts";
import type { WorkflowRow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { mintWebhookKey } from "../keys.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { publicOrigin } from "../public-origin.ts";
import { changeWorkflow } from "./change-workflow.ts";
import { chooseSecret } from "./webhook-secret.ts";
import type { ChosenSecret } from "./webhook-secret.ts";
import { shownTime } from "../../domain/shown-time.ts";

export type WebhookKeyAnswer = z.infer<typeof webhookKeyAnswerSchema>;

const OLD_SECRET_SECONDS = 24 * 3_600;

interface Made extends ChosenSecret {
  webhookKey: string;
  verification: WebhookVerification;
}

/**
 * Gives a workflow a webhook key and its secret, shown only now. An older key and its secret become invalid
 * (docs/design/http-api.md#keys). `origin` is the address of the request.
 */
export async function makeWebhookKey(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  origin: string,
): Promise<WebhookKeyAnswer> {
  const { verification: chosen, secret } = parseInput(makeWebhookKeySchema, input);
  const { webhookKey } = mintWebhookKey(deps.settings.secret);
  let made: Made | null = null;
  await changeWorkflow(deps, id, async (row) => {
    requireWebhook(row);
    const verification = chosen ?? row.webhookVerification ?? BEARER;
    made = { webhookKey, verification, ...(await chooseSecret(deps, webhookKey, verification, secret)) };
    return {
      changes: {
        webhookKey,
        webhookSecretHash: made.secretHash,
        webhookVerification: verification,
        webhookOldSecret: null,
      },
      audit: { actor, verb: "webhook-key", detail: { name: row.name, webhookKey, verification } },
    };
  });
  return answerOf(deps, origin, made, { isGiven: secret !== undefined, until: null });
}

/**
 * Replaces the secret of a webhook key. The old one stays valid for a while, and one before it for its own time: a caller
 * may have lost the answer with the new secret, and replaces it again while its senders still use the first.
 */
export async function replaceWebhookSecret(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  origin: string,
): Promise<WebhookKeyAnswer> {
  const { secret, keepOldSeconds = OLD_SECRET_SECONDS } = parseInput(replaceWebhookSecretSchema, input);
  const now = deps.now();
  let made: Made | null = null;
  let old: readonly OldSecret[] = [];
  await changeWorkflow(deps, id, async (row) => {
    const { webhookKey, webhookSecretHash } = row;
    if (webhookKey === null || webhookSecretHash === null) {
      throw new ProblemError("conflict", "This workflow has no webhook key, so there is no secret to replace.");
    }
    const before = { secretHash: webhookSecretHash, until: now + keepOldSeconds * 1_000 };
    old = keepOldSeconds === 0 ? [] : [before, ...validOldSecrets(row.webhookOldSecret, now)];
    requireFew(old);
    const verification = row.webhookVerification ?? BEARER;
    made = { webhookKey, verification, ...(await chooseSecret(deps, webhookKey, verification, secret)) };
    return {
      changes: { webhookSecretHash: made.secretHash, webhookOldSecret: old.length === 0 ? null : old },
      audit: { actor, verb: "webhook-secret", detail: { name: row.name, webhookKey, keepOldSeconds } },
    };
  });
  return answerOf(deps, origin, made, { isGiven: secret !== undefined, until: lastUntil(old) });
}

function requireFew(old: readonly OldSecret[]): void {
  if (old.length <= WEBHOOK_OLD_SECRETS_MAX) return;
  const until = shownTime(Math.min(...old.slice(1).map((each) => each.until)));
  throw new ProblemError(
    "conflict",
    `${WEBHOOK_OLD_SECRETS_MAX} old secrets are still valid, one of them until ${until}. Replace the secret after that, or with keepOldSeconds: 0, which ends all old secrets at once.`,
  );
}

function answerOf(
  deps: Deps,
  origin: string,
  made: Made | null,
  { isGiven, until }: { isGiven: boolean; until: number | null },
): WebhookKeyAnswer {
  if (made === null) throw new Error("the workflow was changed without a secret");
  const { webhookKey, secret, verification } = made;
  const url = `${publicOrigin(deps.settings, origin)}/api/v1/automation/webhooks/${webhookKey}`;
  return {
    webhookKey,
    webhookSecret: isGiven ? null : secret,
    url: verification.type === "address" ? `${url}?${SECRET_PARAMETER}=${secret}` : url,
    oldSecretUntil: until === null ? null : new Date(until).toISOString(),
  };
}

function requireWebhook(row: WorkflowRow): void {
  if (row.trigger.type === "webhook") return;
  throw new ProblemError(
    "conflict",
    `This workflow starts from ${TRIGGER_LABELS[row.trigger.type]}, so it has no webhook key. Change its trigger to webhook first.`,
  );
}

const TRIGGER_LABELS = { incident: "incidents", cron: "a schedule", manual: "people", failure: "failed runs" } as const;
