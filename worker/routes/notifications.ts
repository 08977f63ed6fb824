import { listNotificationChannels as listOperation } from "../../schema/contract/api/notifications.ts";
import { endpoint } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerPage } from "../http/respond.ts";
import { listNotificationChannels } from "../services/notifications/list-channels.ts";

export const notificationEndpoints: readonly Endpoint[] = [
  endpoint(listOperation, (c) =>
    answerPage(c, { items: listNotificationChannels(c.var.deps.settings.notifications), nextCursor: null }),
  ),
];
