import type { WebhookDelivery } from "../../../schema/contract/webhook-delivery.ts";
import { findWorkflow } from "../../store/workflows.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { reach } from "../unavailable.ts";

/** The last deliveries of a workflow's webhook, newest first; none without a webhook key. */
export async function listWebhookDeliveries(deps: Deps, id: string): Promise<WebhookDelivery[]> {
  const row = await findWorkflow(deps.db, id);
  if (row === null) throw notFound("workflow", id);
  const { webhookKey } = row;
  if (webhookKey === null) return [];
  const latest = await reach("The webhook's gate does not answer.", () =>
    deps.objects.gate(webhookKey).deliveries(webhookKey),
  );
  return latest.map((delivery) => ({ ...delivery, at: new Date(delivery.at).toISOString() }));
}
