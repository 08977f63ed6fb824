import { marksIn } from "./marks.ts";
import type { Holder } from "./marks.ts";
import type { Steps } from "../steps.ts";

/** What a reference to a variable can replace without a change of meaning: the template, or the string around it. */
export type Replaceable = "word" | "string";

export interface StringPlace {
  /** The reason why the template cannot be here, as a sentence's end. */
  readonly reason: string | null;
  readonly variable: Replaceable | null;
}

export interface VariableRule {
  /** The reason of a template that is in the code itself. */
  readonly outside: string;
  /** A script that may run a text as code. */
  readonly evaluates: RegExp;
  /** The code before and after a value that can be a variable; `before` begins with a line. */
  readonly before: RegExp;
  readonly after: RegExp;
}

/** Longer lines get no variable. */
const AROUND_CHARS = 200;

/** For languages in which a template must be inside a string. */
export function stringPlaces(
  source: string,
  holders: readonly Holder[],
  rule: VariableRule,
  steps: Steps,
): StringPlace[] {
  // One pattern reads faster than a lexer.
  steps.spend(source.length / 2);
  const mayEvaluate = rule.evaluates.test(source);
  const marks = marksIn(source);
  return holders.map(({ reason, isWholeString }, index) => {
    const kind = isWholeString && reason === null ? "string" : reason === rule.outside ? "word" : null;
    if (kind === null || mayEvaluate) return { reason, variable: null };
    steps.spend(2 * AROUND_CHARS);
    const quote = kind === "string" ? 1 : 0;
    const start = (marks[index] ?? 0) - quote;
    const end = start + 1 + 2 * quote;
    const from = Math.max(0, start - AROUND_CHARS);
    // A line whose beginning is cut off does not match.
    const before = `${from === 0 ? "\n" : ""}${source.slice(from, start)}`;
    const fits = rule.before.test(before) && rule.after.test(source.slice(end, end + AROUND_CHARS));
    return { reason, variable: fits ? kind : null };
  });
}
