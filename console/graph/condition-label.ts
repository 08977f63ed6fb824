import type { Condition, ConditionGroup } from "../../schema/contract/condition.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { conditions as catalogue } from "../strings/en/conditions.ts";

const text = catalogue.sentence;

/** A group of conditions as text: `severity is “high” and (host exists or tags.env exists)`. */
export function groupLabel({ logic, conditions }: ConditionGroup): string {
  if (conditions.length === 0) return text.noConditions[logic];
  const parts = conditions.map((member) => {
    if (!("conditions" in member)) return conditionLabel(member);
    const label = groupLabel(member);
    return member.conditions.length === 1 ? label : `(${label})`;
  });
  return parts.join(text.join[logic]);
}

/** A condition as text: `severity is “high”`. */
export function conditionLabel({ field, operator, value }: Condition): string {
  const name = field.replace(/^\{\{\s*(.*?)\s*\}\}$/u, "$1").trim();
  const label = `${name === "" ? text.noField : name} ${catalogue.operators[operator]}`;
  if (operator === "exists" || operator === "notExists") return label;
  if (!Array.isArray(value)) return `${label} ${valueLabel(value)}`;
  return `${label} ${value.length === 0 ? text.noValues : value.map(valueLabel).join(", ")}`;
}

function valueLabel(value: JsonValue | undefined): string {
  if (value === undefined || value === "") return text.noValue;
  return typeof value === "string" ? text.text(value) : JSON.stringify(value);
}
