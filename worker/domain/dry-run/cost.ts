import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { matchSteps } from "../pattern.ts";
import type { Steps } from "../steps.ts";
import { textOf } from "../template/value.ts";

/** Filling in and showing a value copies it a few times. */
const CHARS_OF_A_STEP = 8;
/** Each place costs more: in code, its surroundings are read. */
const STEPS_OF_PLACE = 50;
const sizes = new WeakMap<object, number>();

/** Call it before a value is filled in: one value may be in thousands of places, with filters in each. */
export function spendOnValue(steps: Steps, value: JsonValue | undefined, times = 1): void {
  steps.spend(STEPS_OF_PLACE + (sizeOf(value) / CHARS_OF_A_STEP) * times);
}

/** Call it before a group is evaluated. `valueOf` returns the value of a condition's field. */
export function spendOnConditions(
  steps: Steps,
  { conditions }: ConditionGroup,
  valueOf: (condition: Condition) => JsonValue | undefined,
): void {
  for (const member of conditions) {
    if ("conditions" in member) spendOnConditions(steps, member, valueOf);
    else {
      const { operator, value } = member;
      const found = valueOf(member);
      spendOnValue(steps, found);
      spendOnValue(steps, value);
      if (operator === "matches" || operator === "notMatches") steps.spend(matchSteps(textOf(value), textOf(found)));
    }
  }
}

/** About the number of characters of a value as text. */
function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Object.entries(value).reduce((sum, [name, member]) => sum + name.length + sizeOf(member), 1);
  sizes.set(value, size);
  return size;
}
