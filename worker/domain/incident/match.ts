import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { IncidentEventType, Trigger } from "../../../schema/contract/workflow.ts";
import { passes } from "../condition.ts";
import { incidentValue, severityRank } from "./fields.ts";

/**
 * Whether an event starts a workflow with this trigger: the trigger lists its type, and the conditions hold for the
 * incident at the time of the event (docs/design/workflows.md#incident-events). A trigger without conditions, or with
 * an empty group of any logic, always matches.
 */
export function startsFrom(trigger: Trigger, eventType: IncidentEventType, snapshot: JsonObject): boolean {
  if (trigger.type !== "incident" || !trigger.events.includes(eventType)) return false;
  const { conditions } = trigger;
  return conditions === undefined || conditions.conditions.length === 0 || groupHolds(conditions, snapshot);
}

function groupHolds({ logic, conditions }: ConditionGroup, snapshot: JsonObject): boolean {
  const holds = (member: Condition | ConditionGroup) =>
    "conditions" in member ? groupHolds(member, snapshot) : conditionHolds(member, snapshot);
  return logic === "all" ? conditions.every(holds) : conditions.some(holds);
}

/** A condition's value is plain text: there is no data yet for a template. */
function conditionHolds({ field, operator, value = "" }: Condition, snapshot: JsonObject): boolean {
  const found = incidentValue(snapshot, field);
  const isOrder = operator === "greaterThan" || operator === "lessThan";
  if (field === "severity" && isOrder) return passes(operator, severityRank(found) ?? "", rankOr(value));
  return passes(operator, found, value);
}

function rankOr(value: JsonValue): JsonValue {
  return severityRank(value) ?? "";
}
