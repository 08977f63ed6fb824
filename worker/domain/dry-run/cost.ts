import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import { matchSteps } from "../pattern.ts";
import type { Steps } from "../steps.ts";
import { textOf } from "../template/value.ts";

/** What a value takes to be filled in and shown: it is copied a few times. */
const CHARS_OF_A_STEP = 8;
/** Of each place beside that: in code its surroundings are looked at. */
const STEPS_OF_PLACE = 50;
const sizes = new WeakMap<object, number>();

/** Before a value is filled in: one may be in thousands of places, and go through filters in each. */
export function spendOnValue(steps: Steps, value: JsonValue | undefined, times = 1): void {
  steps.spend(STEPS_OF_PLACE + (sizeOf(value) / CHARS_OF_A_STEP) * times);
}

/** Before a group is evaluated. `valueOf` gives what a condition's field stands for. */
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

/** About as many characters as a value has as text. */
function sizeOf(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Object.entries(value).reduce((sum, [name, member]) => sum + name.length + sizeOf(member), 1);
  sizes.set(value, size);
  return size;
}
