import { notificationParamsSchema } from "../../../schema/contract/notification.ts";
import type { NotificationChannel, NotificationParams } from "../../../schema/contract/notification.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { NotificationSettings } from "../notification-settings.ts";
import { invalidParams } from "./prepared.ts";
import type { MessageOrigin, Prepared } from "./prepared.ts";
import { prepareEmail } from "./send-email.ts";
import { prepareSms } from "./send-sms.ts";
import { prepareWebhook } from "./send-webhook.ts";

/** Parses the order again at every attempt. */
export function prepareDelivery(settings: NotificationSettings, order: JobOrder): Prepared {
  const parsed = notificationParamsSchema.safeParse(order.params);
  if (parsed.success) return PREPARE[parsed.data.channel](settings, originOf(order), parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return invalidParams(
    `The notification's parameters are not valid: ${problems.join("; ")}. Change them in the workflow.`,
  );
}

/** The id is the same for every attempt and every job of a node's `retry`. */
function originOf({ nodeRunId, jobId, queuedAt, executionId, workflowId }: JobOrder): MessageOrigin {
  return { id: nodeRunId ?? jobId, at: queuedAt, executionId, workflowId, nodeRunId, url: null };
}

/** One function for each channel of the service. */
export const PREPARE = { email: prepareEmail, sms: prepareSms, webhook: prepareWebhook } as const satisfies Record<
  NotificationChannel,
  (settings: NotificationSettings, origin: MessageOrigin, params: Omit<NotificationParams, "channel">) => Prepared
>;
