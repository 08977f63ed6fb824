import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { FieldError } from "../../schema/contract/problem.ts";

/** What is wrong with the conditions of an incident trigger, each with its path below `at`. */
export function incidentConditionProblems(_group: ConditionGroup, _at: string): FieldError[] {
  return [];
}
