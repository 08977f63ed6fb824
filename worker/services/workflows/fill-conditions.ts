import { conditionGroupSchema } from "../../../schema/contract/condition.ts";
import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import { CONDITION_MAX_DEPTH } from "../../../schema/limits.ts";
import { partsOf } from "../parse.ts";

/** The contract's limit for a group. */
const CONDITIONS_MAX = 100;

/** In place of an unreadable group; no check finds a problem in it. */
const NOTHING: ConditionGroup = { logic: "all", conditions: [] };

/**
 * A group of conditions for further checks, from input with parts of the wrong shape: parts of the right shape stay, so
 * that unknown fields and bad patterns are reported in the same answer. Null when the input is not a group.
 */
export function fillConditions(sent: unknown, depthLeft = CONDITION_MAX_DEPTH): ConditionGroup | null {
  const { logic, conditions } = partsOf(sent);
  if (!Array.isArray(conditions) || conditions.length > CONDITIONS_MAX || depthLeft < 1) return null;
  return {
    logic: logic === "any" ? "any" : "all",
    conditions: conditions.map((member: unknown) => fillMember(member, depthLeft)),
  };
}

function fillMember(sent: unknown, depthLeft: number): Condition | ConditionGroup {
  const { field, operator, value, conditions } = partsOf(sent);
  if (conditions !== undefined) return fillConditions(sent, depthLeft - 1) ?? NOTHING;
  const valued = value === undefined ? {} : { value };
  return asCondition({ field, operator, ...valued }) ?? asCondition({ field, operator: "exists" }) ?? NOTHING;
}

function asCondition(candidate: object): Condition | ConditionGroup | undefined {
  return conditionGroupSchema.safeParse({ logic: "all", conditions: [candidate] }).data?.conditions[0];
}
