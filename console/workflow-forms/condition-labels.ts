import { conditionOperatorSchema } from "../../schema/contract/condition.ts";
import type { Condition, ConditionGroup, ConditionOperator } from "../../schema/contract/condition.ts";
import type { JsonValue } from "../../schema/contract/json.ts";

/** Operators as they are shown between a field and a value. */
export const OPERATOR_LABELS = {
  equals: "is",
  notEquals: "is not",
  contains: "contains",
  notContains: "does not contain",
  startsWith: "starts with",
  endsWith: "ends with",
  in: "is one of",
  notIn: "is not one of",
  exists: "exists",
  notExists: "does not exist",
  greaterThan: "is greater than",
  lessThan: "is less than",
  matches: "matches the pattern",
  notMatches: "does not match the pattern",
} as const satisfies Record<ConditionOperator, string>;

export const OPERATORS = conditionOperatorSchema.options.map((value) => ({ value, label: OPERATOR_LABELS[value] }));

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
  if (group.conditions.length === 0) {
    return group.logic === "all" ? "Always: there are no conditions." : "Never: there are no conditions.";
  }
  return `When ${groupLabel(group)}.`;
}

function groupLabel({ logic, conditions }: ConditionGroup): string {
  const parts = conditions.map((member) => {
    if (!("conditions" in member)) return conditionLabel(member);
    if (member.conditions.length === 0) return member.logic === "all" ? "(always)" : "(never)";
    const label = groupLabel(member);
    return member.conditions.length === 1 ? label : `(${label})`;
  });
  return parts.join(logic === "all" ? " and " : " or ");
}

function conditionLabel({ field, operator, value }: Condition): string {
  const name = field.trim() === "" ? "…" : field.trim();
  const label = `${name} ${OPERATOR_LABELS[operator]}`;
  if (valueKindOf(operator) === "none") return label;
  if (Array.isArray(value)) return `${label} ${value.length === 0 ? "nothing" : value.map(valueLabel).join(", ")}`;
  return `${label} ${valueLabel(value)}`;
}

function valueLabel(value: JsonValue | undefined): string {
  if (value === undefined || value === "") return "empty";
  return typeof value === "string" ? `“${value}”` : JSON.stringify(value);
}

function isBlank(value: JsonValue | undefined): value is undefined | "" {
  return value === undefined || value === "";
}
