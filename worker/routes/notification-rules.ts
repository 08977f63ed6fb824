import * as api from "../../schema/contract/api/notification-rules.ts";
import { afterwards } from "../http/afterwards.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { answerTagged, expectedRevisions } from "../http/etag.ts";
import { publicOrigin } from "../http/origin.ts";
import { readBody } from "../http/parse.ts";
import { answer, answerPage, created } from "../http/respond.ts";
import { refreshAlerter } from "../services/alerts/index.ts";
import { createRule, deleteRule, replaceRule } from "../services/notification-rules/change.ts";
import { testRule } from "../services/notification-rules/test.ts";
import { getNotices, getRule, listRules } from "../services/notification-rules/read.ts";

export const notificationRuleEndpoints: readonly Endpoint[] = [
  endpoint(api.listNotificationRules, async (c) => answerPage(c, await listRules(c.var.deps, c.req.query()))),
  endpoint(api.createNotificationRule, async (c) => {
    const { deps, principal } = c.var;
    const rule = await createRule(deps, principal.actor, await readBody(c));
    afterwards(c, refreshAlerter(deps));
    return created(c, rule);
  }),
  endpoint(api.getNotificationRule, async (c) => answerTagged(c, await getRule(c.var.deps, pathParam(c)))),
  endpoint(api.replaceNotificationRule, async (c) => {
    const { deps, principal } = c.var;
    const input = await readBody(c);
    const rule = await replaceRule(deps, principal.actor, pathParam(c), input, expectedRevisions(c));
    afterwards(c, refreshAlerter(deps));
    return answerTagged(c, rule);
  }),
  endpoint(api.deleteNotificationRule, async (c) => {
    const { deps, principal } = c.var;
    const deleted = await deleteRule(deps, principal.actor, pathParam(c), expectedRevisions(c));
    afterwards(c, refreshAlerter(deps));
    return answer(c, deleted);
  }),
  endpoint(api.testNotificationRule, async (c) =>
    answer(c, await testRule(c.var.deps, c.var.principal.actor, pathParam(c), publicOrigin(c))),
  ),
  endpoint(api.getNotices, async (c) => answer(c, await getNotices(c.var.deps, pathParam(c)))),
];
