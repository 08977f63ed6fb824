import type { RuleEvent } from "../../../schema/contract/notification-rule.ts";
import {
  conditionsOf,
  databaseCondition,
  judgeCondition,
  keysOfUnread,
  lastingRule,
} from "../../domain/alerts/conditions.ts";
import type { Condition } from "../../domain/alerts/conditions.ts";
import type { Notices } from "./notices.ts";
import type { AlerterPorts } from "./ports.ts";
import type { AlerterTables } from "./storage.ts";

type Places = { tables: AlerterTables; notices: Notices };

const OF_POOLS: ReadonlySet<RuleEvent> = new Set(["agent_offline", "pool_offline", "queue_old"]);

/** Reports agents, pools and queues whose state lasts, and its end. Rejects while the database is away. */
export async function readLasting(ports: AlerterPorts, places: Places, now: number): Promise<void> {
  const isAsked = places.notices.enabled.some(({ rule }) => OF_POOLS.has(rule.on));
  if (!isAsked) return;
  const { pools, unread } = await ports.pools();
  const conditions = conditionsOf(pools);
  places.notices.together(() => {
    for (const condition of conditions) judge(condition, places, now);
  });
  const present = [...conditions, databaseCondition(null)].map(({ key }) => key);
  places.tables.keepConditionKeys(new Set([...present, ...keysOfUnread(unread)]));
}

/** Reports a database that has not answered since a time (epoch ms; null: it answers), from memory alone. */
export function judgeDatabase(places: Places, since: number | null, now: number): void {
  places.notices.together(() => judge(databaseCondition(since), places, now));
}

/** What was reported as lasting is forgotten for rules that are no longer about such things. */
export function forgetLasting({ tables, notices }: Places): void {
  const lasting = notices.enabled.filter(({ rule }) => "minutes" in rule);
  tables.keepConditions(new Map(lasting.map(({ id, since }) => [id, since])));
}

/** The report and the record that it was made are one write. */
function judge(condition: Condition, { tables, notices }: Places, now: number): void {
  for (const active of notices.enabled) {
    const rule = lastingRule(active.rule, condition);
    if (rule === null) continue;
    const report = judgeCondition(rule, condition, tables.reportedAt(active.id, condition.key), now);
    if (report === null) continue;
    tables.setReported(active.id, condition.key, report.change === "begins" ? now : null);
    notices.report(active, report.line);
  }
}
