import { notificationParamsSchema } from "../../../schema/contract/notification.ts";
import type { NotificationChannel, NotificationParams } from "../../../schema/contract/notification.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import type { Env } from "../../env.ts";
import { invalidParams } from "./prepared.ts";
import type { Prepared } from "./prepared.ts";
import { prepareEmail } from "./send-email.ts";
import { prepareSms } from "./send-sms.ts";
import { prepareWebhook } from "./send-webhook.ts";

/** Reads the order and the channel's settings; both anew at every try, so that a secret that was set meanwhile counts. */
export function prepareDelivery(env: Env, order: JobOrder): Prepared {
  const parsed = notificationParamsSchema.safeParse(order.params);
  if (parsed.success) return PREPARE[parsed.data.channel](env, order, parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  return invalidParams(
    `The notification's parameters are not valid: ${problems.join("; ")}. Change them in the workflow.`,
  );
}

const PREPARE = { email: prepareEmail, sms: prepareSms, webhook: prepareWebhook } as const satisfies Record<
  NotificationChannel,
  (env: Env, order: JobOrder, params: NotificationParams) => Prepared
>;
