import type { NotificationRuleInput, RuleEvent } from "../../../../schema/contract/notification-rule.ts";
import type { ScopeKind } from "../../../strings/en/notification-rules.ts";
import { viewersZone } from "../../../strings/time.ts";

/** The fields of the form, for every event at once. */
export interface RuleDraft {
  name: string;
  enabled: boolean;
  on: RuleEvent;
  when: "first" | "every";
  recovered: boolean;
  scope: ScopeKind;
  tags: string[];
  workflowIds: string[];
  minutes: number;
  poolIds: string[];
  receivers: string[];
  isQuiet: boolean;
  quiet: NonNullable<NotificationRuleInput["quietHours"]>;
  groupMinutes: number;
}

export const MINUTES_AT_FIRST: Partial<Record<RuleEvent, number>> = {
  agent_offline: 5,
  pool_offline: 5,
  queue_old: 15,
  database_trouble: 2,
};

/** The form of a rule, or of a new one. */
export function draftOf(rule: NotificationRuleInput | null): RuleDraft {
  const draft: RuleDraft = {
    name: "",
    enabled: true,
    on: "run_failed",
    when: "first",
    recovered: true,
    scope: "everything",
    tags: [],
    workflowIds: [],
    minutes: 5,
    poolIds: [],
    receivers: [],
    isQuiet: false,
    quiet: { timeZone: viewersZone(), from: "22:00", to: "07:00" },
    groupMinutes: 5,
  };
  if (rule === null) return draft;
  const { name, enabled, on, receivers, quietHours, groupMinutes } = rule;
  Object.assign(draft, { name, enabled, on, receivers, groupMinutes });
  if (quietHours !== null && quietHours !== undefined) Object.assign(draft, { isQuiet: true, quiet: quietHours });
  if (rule.on === "run_failed") Object.assign(draft, { when: rule.when, recovered: rule.recovered });
  if ("minutes" in rule) draft.minutes = rule.minutes;
  if ("poolIds" in rule) draft.poolIds = rule.poolIds ?? [];
  if (!("scope" in rule)) return draft;
  const { tags, workflowIds } = rule.scope;
  const scope = tags !== undefined ? "tags" : workflowIds !== undefined ? "workflowIds" : "everything";
  return { ...draft, scope, tags: tags ?? [], workflowIds: workflowIds ?? [] };
}

/** The rule with the fields that its event has. */
export function ruleOf(draft: RuleDraft): NotificationRuleInput {
  const { enabled, on, when, recovered, minutes, receivers, isQuiet, quiet, groupMinutes } = draft;
  const quietHours = isQuiet ? quiet : null;
  const common = { name: draft.name.trim(), enabled, receivers, quietHours, groupMinutes };
  const scope = scopeOf(draft);
  const pools = draft.poolIds.length === 0 ? {} : { poolIds: draft.poolIds };
  switch (on) {
    case "run_failed":
      return { ...common, on, scope, when, recovered };
    case "schedule_disabled":
    case "approval_waiting":
    case "limit_reached":
      return { ...common, on, scope };
    case "agent_offline":
    case "pool_offline":
    case "queue_old":
      return { ...common, on, minutes, ...pools };
    case "credential_failed":
      return { ...common, on };
    case "database_trouble":
      return { ...common, on, minutes };
  }
}

function scopeOf({ scope, tags, workflowIds }: RuleDraft) {
  if (scope === "everything") return { everything: true as const };
  return scope === "tags" ? { tags } : { workflowIds };
}
