import type { NotificationRuleView } from "../../../schema/contract/notification-rule.ts";
import type { NotificationRuleRow } from "../../store/notification-rules.ts";
import type { AlerterSummary } from "../ports.ts";

/** `summary` is null while the Alerter does not answer. */
export function toRuleView(row: NotificationRuleRow, summary: AlerterSummary | null): NotificationRuleView {
  const { id, rule, revision } = row;
  const iso = (at: number) => new Date(at).toISOString();
  const failure = summary?.failures[id];
  return {
    ...rule,
    id,
    lastFailure: failure === undefined ? null : { ...failure, at: iso(failure.at) },
    revision,
    createdAt: iso(row.createdAt),
    updatedAt: iso(row.updatedAt),
  };
}
