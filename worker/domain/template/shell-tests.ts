import { isNumberRegex, loneVariable } from "./shell-number-events.ts";
import type { ShellState } from "./shell-state.ts";
import { hasTemplates, templatesOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { readWord } from "./shell-words.ts";

export const ARITHMETIC_COMPARISONS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
/** These take the name of a variable, and evaluate the index in it. */
export const NAME_TESTS = new Set(["-v", "-R"]);

/** The rest of `[[ … ]]`. Operators are known before anything expands, so an accepted value is always an operand. */
export function readTest(state: ShellState, accept: (words: readonly Word[]) => void): void {
  const words: Word[] = [];
  const conditions: Word[][] = [[]];
  const signs = new Set<string>();
  for (;;) {
    while (state.char === "\n" || state.char === " " || state.char === "\t") state.at += 1;
    if (state.char === "#" || state.hereDocuments.length > 0) state.unclear("[[ … ]] is not plain");
    if (state.skip("\\\n")) continue;
    const sign = ["&&", "||", "(", ")"].find((candidate) => state.skip(candidate));
    if (sign !== undefined) {
      signs.add(sign);
      conditions.push([]);
      continue;
    }
    if ((state.char === "<" || state.char === ">") && state.source[state.at + 1] !== "(") {
      state.at += 1;
      continue;
    }
    const word =
      readWord(state, words.at(-1)?.raw === "=~" ? "regex" : "plain") ?? state.unclear("[[ is not closed by ]]");
    if (word.raw === "]]") break;
    if (words.at(-1)?.raw === "=~")
      refuse(state, [word], "a value is no regular expression: compare it with == instead");
    words.push(word);
    conditions.at(-1)?.push(word);
  }
  noteConditions(state, conditions, signs);
  const arithmetic = words.some(({ raw }) => ARITHMETIC_COMPARISONS.has(raw));
  if (arithmetic) {
    refuse(
      state,
      words,
      "[[ evaluates what it compares as numbers, and runs commands in it: use [ … ] for this comparison",
    );
  } else if (words.some(({ raw }) => NAME_TESTS.has(raw))) {
    refuse(state, words, "[[ -v … ]] takes the name of a variable, and evaluates it: test the value itself");
  } else accept(words.filter((word, index) => hasTemplates(word) && words[index - 1]?.raw !== "=~"));
}

/** What the conditions calculate, and what they say of numbers: `$n =~ ^[0-9]+$`. One sign joins them, or none is read. */
function noteConditions(state: ShellState, conditions: readonly (readonly Word[])[], signs: ReadonlySet<string>): void {
  const { numbers, positions } = state.flows;
  const [sign = "&&"] = signs;
  const isPlain = signs.size < 2 && (sign === "&&" || sign === "||");
  numbers.push({ type: "keyword", raw: "{" });
  conditions.forEach((condition, index) => {
    if (index > 0) numbers.push({ type: "operator", raw: isPlain && sign === "&&" ? "&&" : isPlain ? "||" : ";" });
    noteCondition(state, condition);
    const isNegated = condition[0]?.raw === "!";
    const [left, operator, right] = isNegated ? condition.slice(1) : condition;
    const variable = loneVariable(left?.raw ?? "");
    const regex = right === undefined ? "" : state.flows.constants.fill(right.raw);
    const isCheck = isPlain && variable !== null && operator?.raw === "=~" && isNumberRegex(regex);
    const checked = isCheck ? [positions.holderOf(variable)] : [];
    numbers.push({ type: "test", whenTrue: isNegated ? [] : checked, whenFalse: isNegated ? checked : [] });
  });
  numbers.push({ type: "keyword", raw: "}" });
}

function noteCondition({ flows }: ShellState, condition: readonly Word[]): void {
  condition.forEach(({ raw }, index) => {
    const next = condition[index + 1];
    if (ARITHMETIC_COMPARISONS.has(raw)) {
      flows.calculate(condition[index - 1]?.raw ?? "");
      flows.calculate(next?.raw ?? "");
    }
    if (!NAME_TESTS.has(raw) || next === undefined) return;
    flows.calculateIndex(next.literal ?? next.raw);
    flows.sink(next.variables, `[[ ${raw} … ]] takes the name of a variable, and evaluates it: test the value itself`);
  });
}

function refuse(state: ShellState, words: readonly Word[], reason: string): void {
  for (const index of words.flatMap(templatesOf)) state.refuse(index, reason);
}
