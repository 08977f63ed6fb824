import { conditionOperatorSchema } from "../../schema/contract/condition.ts";
import type { Condition, ConditionGroup, ConditionOperator } from "../../schema/contract/condition.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { groupLabel } from "../graph/condition-label.ts";
import { conditions as text } from "../strings/en/conditions.ts";

export const OPERATORS = conditionOperatorSchema.options.map((value) => ({ value, label: text.operators[value] }));

/** The kind of value that an operator compares with. */
export function valueKindOf(operator: ConditionOperator): "none" | "list" | "text" | "pattern" | "scalar" {
  switch (operator) {
    case "exists":
    case "notExists":
      return "none";
    case "in":
    case "notIn":
      return "list";
    case "matches":
    case "notMatches":
      return "pattern";
    case "startsWith":
    case "endsWith":
      return "text";
    case "equals":
    case "notEquals":
    case "contains":
    case "notContains":
    case "greaterThan":
    case "lessThan":
      return "scalar";
  }
}

/** A condition with another operator. The value is kept or converted where the new operator takes such a value. */
export function withOperator({ field, operator: before, value }: Condition, operator: ConditionOperator): Condition {
  const kind = valueKindOf(operator);
  if (kind === "none") return { field, operator };
  if (kind === "list") return { field, operator, value: Array.isArray(value) ? value : isBlank(value) ? [] : [value] };
  const single = valueKindOf(before) === "list" && Array.isArray(value) ? (value[0] ?? "") : (value ?? "");
  if (kind === "scalar") return { field, operator, value: single };
  return { field, operator, value: typeof single === "string" ? single : JSON.stringify(single) };
}

/** A whole group as one sentence. */
export function sentenceOf(group: ConditionGroup): string {
  if (group.conditions.length > 0) return text.sentence.when(groupLabel(group));
  return group.logic === "all" ? text.sentence.always : text.sentence.never;
}

function isBlank(value: JsonValue | undefined): value is undefined | "" {
  return value === undefined || value === "";
}
