import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { passes, valueProblem } from "../condition.ts";
import { INCIDENT_CHOICES, INCIDENT_FIELDS, isIncidentField, tagKey } from "./fields.ts";
import { hasTemplate } from "../template-texts.ts";
import { Steps } from "../steps.ts";

/** Problems with the conditions of an incident trigger, each with its path below `at`. */
export function incidentConditionProblems(group: ConditionGroup, at: string, steps: Steps = new Steps()): FieldError[] {
  return group.conditions.flatMap((member, index) => {
    const path = `${at}.conditions.${index}`;
    if ("conditions" in member) return groupProblems(member, path, steps);
    return conditionProblems(member, path, steps);
  });
}

function groupProblems(group: ConditionGroup, path: string, steps: Steps): FieldError[] {
  if (group.conditions.length === 0 && group.logic === "any") {
    return [{ path, message: "has no conditions, so it never matches: add one, or remove the group" }];
  }
  return incidentConditionProblems(group, path, steps);
}

function conditionProblems(condition: Condition, path: string, steps: Steps): FieldError[] {
  const field = fieldProblem(condition.field);
  const value = problemOfValue(condition, steps);
  return [
    ...(field === null ? [] : [{ path: `${path}.field`, message: field }]),
    ...(value === null ? [] : [{ path: `${path}.value`, message: value }]),
  ];
}

function fieldProblem(field: string): string | null {
  if (isIncidentField(field) || tagKey(field) !== null) return null;
  const bare = field.replaceAll(/[{}\s]/gu, "").replace(/^incident\./iu, "");
  const meant =
    tagKey(bare) === null ? INCIDENT_FIELDS.find((known) => known.toLowerCase() === bare.toLowerCase()) : bare;
  if (meant !== undefined) return `is not a field of an incident: write ${meant}`;
  return `is not a field of an incident: write one of ${INCIDENT_FIELDS.join(", ")}, or tags.<key>`;
}

function problemOfValue(condition: Condition, steps: Steps): string | null {
  const { operator, value } = condition;
  if (operator === "exists" || operator === "notExists") return null;
  const pattern = valueProblem(condition, steps);
  if (pattern !== null) return pattern;
  if (value !== undefined && hasTemplate(value, steps)) {
    return "takes no template: a trigger's condition is checked before the execution has any values";
  }
  return shapeProblem(condition) ?? choiceProblem(condition);
}

/** All of an incident's values are texts: a value of another kind can never be equal to one. */
function shapeProblem({ operator, value }: Condition): string | null {
  if (operator === "in" || operator === "notIn") {
    if (!Array.isArray(value) || value.length === 0) return "must have at least one value";
    return value.every(isPlain) ? null : "must contain only texts, numbers, true or false";
  }
  if (operator === "greaterThan" || operator === "lessThan") {
    return typeof value === "number" || (typeof value === "string" && value !== "") ? null : "must be a number or text";
  }
  return isPlain(value) ? null : "must be text, a number, or true or false";
}

/** Checks the value for a field with fixed choices: any other value makes a condition that never changes. */
function choiceProblem({ field, operator, value }: Condition): string | null {
  const choices = Object.hasOwn(INCIDENT_CHOICES, field) ? INCIDENT_CHOICES[field] : undefined;
  if (choices === undefined || value === undefined) return null;
  const oneOf = `one of ${choices.join(", ")}`;
  switch (operator) {
    case "equals":
    case "notEquals":
      return isChoice(choices, value) ? null : `must be ${oneOf}: ${field} has no other value`;
    case "in":
    case "notIn":
      return Array.isArray(value) && value.every((member) => isChoice(choices, member))
        ? null
        : `must contain only ${choices.join(", ")}: ${field} has no other value`;
    case "greaterThan":
    case "lessThan":
      if (field !== "severity") return `${field} has no order: compare with equals or in`;
      return isChoice(choices, value) ? null : `must be ${oneOf}`;
    case "contains":
    case "startsWith":
    case "endsWith":
    case "matches":
      return choices.some((choice) => passes(operator, choice, value))
        ? null
        : `matches no ${field}: its value is ${oneOf}`;
    case "notContains":
    case "notMatches":
    case "exists":
    case "notExists":
      return null;
  }
}

function isChoice(choices: readonly string[], value: JsonValue): boolean {
  return typeof value === "string" && choices.includes(value);
}

function isPlain(value: JsonValue | undefined): boolean {
  return typeof value !== "object" || value === null;
}
