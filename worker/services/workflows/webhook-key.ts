import type { z } from "zod";
import type { webhookKeyAnswerSchema } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import { mintWebhookKey } from "../keys.ts";
import { ProblemError } from "../problem.ts";
import { publicOrigin } from "../public-origin.ts";
import { hashSecret } from "../secret-hash.ts";
import { changeWorkflow } from "./change-workflow.ts";

export type WebhookKeyAnswer = z.infer<typeof webhookKeyAnswerSchema>;

/**
 * Gives a workflow a webhook key and its secret, shown only now. An older key and its secret become invalid
 * (docs/design/http-api.md#keys). `origin` is the address of the request.
 */
export async function makeWebhookKey(deps: Deps, actor: string, id: string, origin: string): Promise<WebhookKeyAnswer> {
  const { webhookKey, webhookSecret } = mintWebhookKey(deps.settings.secret);
  const url = `${publicOrigin(deps.settings, origin)}/api/v1/automation/webhooks/${webhookKey}`;
  const webhookSecretHash = await hashSecret(webhookSecret);
  await changeWorkflow(deps, id, (row) => {
    if (row.trigger.type !== "webhook") {
      throw new ProblemError(
        "conflict",
        `This workflow starts from ${TRIGGER_LABELS[row.trigger.type]}, so it has no webhook key. Change its trigger to webhook first.`,
      );
    }
    return {
      changes: { webhookKey, webhookSecretHash },
      audit: { actor, verb: "webhook-key", detail: { name: row.name, webhookKey } },
    };
  });
  return { webhookKey, webhookSecret, url };
}

const TRIGGER_LABELS = { incident: "incidents", cron: "a schedule", manual: "people" } as const;
