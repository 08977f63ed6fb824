import type { z } from "zod";
import { listNotificationRules as operation } from "../../../schema/contract/api/notification-rules.ts";
import type { NotificationRuleView, noticesSchema } from "../../../schema/contract/notification-rule.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { failureMessage } from "../../store/errors.ts";
import { findNotificationRule, listNotificationRules } from "../../store/notification-rules.ts";
import type { NotificationRuleRow } from "../../store/notification-rules.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { notFound } from "../not-found.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import type { AlerterSummary } from "../ports.ts";
import { ProblemError } from "../problem.ts";
import { toRuleView } from "./view.ts";

const CALL_LIMIT_MS = 5_000;

/** Newest first. */
export async function listRules(deps: Deps, query: unknown): Promise<Page<NotificationRuleView>> {
  const { limit, beforeId } = parsePage("notificationRule", operation, query);
  const rows = await listNotificationRules(deps.db, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  const summary = items.length === 0 ? null : await readSummary(deps);
  return { items: items.map((row) => toRuleView(row, summary)), nextCursor };
}

export async function getRule(deps: Deps, id: string): Promise<NotificationRuleView> {
  return toRuleView(await requireRule(deps, id), await readSummary(deps));
}

/** What a rule has collected, and its last notices, newest first. */
export async function getNotices(deps: Deps, id: string): Promise<z.infer<typeof noticesSchema>> {
  await requireRule(deps, id);
  try {
    const alerter = deps.objects.alerter();
    const calls = Promise.all([alerter.collected(id), alerter.notices(id)]);
    const [collected, notices] = await withTimeout(CALL_LIMIT_MS, "reading the notices of a rule", calls);
    return {
      collected: collected && { ...collected, sendAt: new Date(collected.sendAt).toISOString() },
      notices: notices.map((notice) => ({ ...notice, at: new Date(notice.at).toISOString() })),
    };
  } catch (cause) {
    throw new ProblemError("unavailable", "The service cannot read the notices now. Try again in a moment.", { cause });
  }
}

/** Throws `not_found`. */
export async function requireRule(deps: Deps, id: string): Promise<NotificationRuleRow> {
  const row = await findNotificationRule(deps.db, id);
  if (row === null) throw notFound("notification rule", id);
  return row;
}

/** What the Alerter knows of all rules; null while it does not answer, because the rules themselves are readable. */
export async function readSummary({ objects }: Pick<Deps, "objects">): Promise<AlerterSummary | null> {
  try {
    return await withTimeout(CALL_LIMIT_MS, "reading the results of notices", objects.alerter().summary());
  } catch (error) {
    logWarning("the alerter does not answer; rules are shown without their results", { error: failureMessage(error) });
    return null;
  }
}
