import * as api from "../../schema/contract/api/notifications.ts";
import { afterwards } from "../http/afterwards.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { publicOrigin } from "../http/origin.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { refreshAlerter } from "../services/alerts/index.ts";
import { removeChannel } from "../services/notification-channels/remove.ts";
import { setChannel } from "../services/notification-channels/set.ts";
import { createReceiver, deleteReceiver, replaceReceiver } from "../services/notification-receivers/change.ts";
import { getReceiver, listReceivers } from "../services/notification-receivers/read.ts";
import { testReceiver } from "../services/notification-receivers/test.ts";
import { listNotificationChannels } from "../services/notifications/list-channels.ts";

export const notificationEndpoints: readonly Endpoint[] = [
  endpoint(api.listNotificationChannels, async (c) =>
    answerPage(c, { items: await listNotificationChannels(c.var.deps), nextCursor: null }),
  ),
  endpoint(api.setNotificationChannel, async (c) => {
    const { deps, principal } = c.var;
    const channel = await setChannel(deps, principal.actor, pathParam(c, "channel"), await readBody(c));
    afterwards(c, refreshAlerter(deps));
    return answer(c, channel);
  }),
  endpoint(api.removeNotificationChannel, async (c) => {
    const { deps, principal } = c.var;
    const channel = await removeChannel(deps, principal.actor, pathParam(c, "channel"));
    afterwards(c, refreshAlerter(deps));
    return answer(c, channel);
  }),
  endpoint(api.listNotificationReceivers, async (c) => answerPage(c, await listReceivers(c.var.deps, c.req.query()))),
  endpoint(api.createNotificationReceiver, async (c) =>
    created(c, await createReceiver(c.var.deps, c.var.principal.actor, await readBody(c))),
  ),
  endpoint(api.getNotificationReceiver, async (c) => answerTagged(c, await getReceiver(c.var.deps, pathParam(c)))),
  endpoint(api.replaceNotificationReceiver, async (c) => {
    const { deps, principal } = c.var;
    const input = await readBody(c);
    const receiver = await replaceReceiver(deps, principal.actor, pathParam(c), input, expectedRevisions(c));
    afterwards(c, refreshAlerter(deps));
    return answerTagged(c, receiver);
  }),
  endpoint(api.deleteNotificationReceiver, async (c) =>
    answer(c, await deleteReceiver(c.var.deps, c.var.principal.actor, pathParam(c), expectedRevisions(c))),
  ),
  endpoint(api.testNotificationReceiver, async (c) =>
    answer(c, await testReceiver(c.var.deps, c.var.principal.actor, pathParam(c), publicOrigin(c))),
  ),
];
