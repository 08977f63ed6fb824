import type { ConditionGroup, ConditionOperator } from "../../../schema/contract/condition.ts";
import { common } from "./common.ts";

type Logic = ConditionGroup["logic"];

/** Conditions of steps and triggers: their form, and what they say. */
export const conditions = {
  /** Between a field and a value. */
  operators: {
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
  } satisfies Record<ConditionOperator, string>,

  sentence: {
    when: (conditions: string) => `When ${conditions}.`,
    always: "No conditions: always true.",
    never: "No conditions: never true.",
    join: { all: " and ", any: " or " } satisfies Record<Logic, string>,
    noConditions: { all: "always true", any: "never true" } satisfies Record<Logic, string>,
    ofStep: "no conditions yet",
    several: (logic: Logic, conditions: number) => `${logic} of ${conditions} conditions`,
    noField: "…",
    noValue: "empty",
    noValues: "nothing",
    text: (value: string) => `“${value}”`,
  },

  form: {
    title: "Conditions",
    condition: (number: string) => `Condition ${number}`,
    group: (number: string) => `Group ${number}`,
    logic: (of: string) => `${of}: how many must match`,
    logics: { all: "All of these", any: "Any of these" } satisfies Record<Logic, string>,
    add: "Add a condition",
    addTo: (group: string) => `Add a condition to group ${group}`,
    addGroup: "Add a group",
    addGroupTo: (group: string) => `Add a group to group ${group}`,
    indent: (name: string) => `Move into a group: ${name} (Ctrl+])`,
    outdent: (name: string) => `Move out of its group: ${name} (Ctrl+[)`,
    remove: (name: string) => `${common.remove} ${name}`,

    field: (condition: string) => `${condition}: field`,
    fieldHint: "such as nodes.check.output.stdout",
    incidentFieldHint: "such as severity",
    operator: (condition: string) => `${condition}: operator`,
    value: (condition: string) => `${condition}: value`,
    valueHint: "Value",
    valuesHint: "Values, separated by commas",
    patternHint: "A pattern, such as ^web-",
    choiceHint: "Choose a value",
    choicesHint: "Choose values",
  },
};
