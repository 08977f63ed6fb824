import { z } from "zod";
import { CONDITION_MAX_DEPTH } from "../limits.ts";
import { jsonValueSchema } from "./json.ts";
import type { JsonValue } from "./json.ts";
import { ALWAYS, nestsAtMost } from "./nesting.ts";

/** The limit of conditions and groups in one group. */
export const CONDITION_MAX_MEMBERS = 100;

/** docs/design/workflows.md#conditions */
export const conditionOperatorSchema = z.enum([
  "equals",
  "notEquals",
  "contains",
  "notContains",
  "startsWith",
  "endsWith",
  "in",
  "notIn",
  "exists",
  "notExists",
  "greaterThan",
  "lessThan",
  "matches",
  "notMatches",
]);
export type ConditionOperator = z.infer<typeof conditionOperatorSchema>;

export interface Condition {
  field: string;
  operator: ConditionOperator;
  value?: JsonValue | undefined;
}
/** `all` is AND, `any` is OR; without conditions every event matches (docs/design/workflows.md#incident-events). */
export interface ConditionGroup {
  logic: "all" | "any";
  conditions: (Condition | ConditionGroup)[];
}

export const conditionSchema = z
  .strictObject({
    field: z.string().min(1).max(512),
    operator: conditionOperatorSchema,
    value: jsonValueSchema.optional(),
  })
  .superRefine((condition, context) => {
    const wanted = valueProblem(condition.operator, condition.value);
    if (wanted !== null) context.addIssue({ code: "custom", path: ["value"], message: wanted });
  });

/** A group at any depth; its members may be groups. */
export const anyConditionGroupSchema: z.ZodType<ConditionGroup> = z.strictObject({
  logic: z.enum(["all", "any"]),
  get conditions() {
    return z.array(z.union([conditionSchema, anyConditionGroupSchema])).max(CONDITION_MAX_MEMBERS);
  },
});

/** The limit of nested groups. */
export const nestsConditions = nestsAtMost({
  levels: CONDITION_MAX_DEPTH,
  list: "conditions",
  isLevel: (member) => "conditions" in member,
  message: `nests conditions deeper than ${CONDITION_MAX_DEPTH} levels: flatten them`,
});
export const conditionGroupSchema = anyConditionGroupSchema.superRefine(nestsConditions, ALWAYS);

function valueProblem(operator: ConditionOperator, value: JsonValue | undefined): string | null {
  switch (operator) {
    case "exists":
    case "notExists":
      return null;
    case "in":
    case "notIn":
      return Array.isArray(value) ? null : "must be a list of values";
    case "matches":
    case "notMatches":
    case "startsWith":
    case "endsWith":
      return typeof value === "string" ? null : "must be text";
    case "equals":
    case "notEquals":
    case "contains":
    case "notContains":
    case "greaterThan":
    case "lessThan":
      return value === undefined ? "is required for this operator" : null;
  }
}
