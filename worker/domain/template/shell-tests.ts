import type { ShellState } from "./shell-state.ts";
import { hasTemplates, templatesOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { readWord } from "./shell-words.ts";

export const ARITHMETIC_COMPARISONS = new Set(["-eq", "-ne", "-lt", "-le", "-gt", "-ge"]);
/** A pattern that tells a number from other text, as far as one can see. */
export const LOOKS_FOR_DIGITS = /0-9|\[:digit:\]/u;
/** These take the name of a variable, and evaluate the index in it. */
export const NAME_TESTS = new Set(["-v", "-R"]);

/** The rest of `[[ … ]]`. Operators are known before anything expands, so an accepted value is always an operand. */
export function readTest(state: ShellState, accept: (words: readonly Word[]) => void): void {
  const words: Word[] = [];
  for (;;) {
    while (state.char === "\n" || state.char === " " || state.char === "\t") state.at += 1;
    if (state.char === "#" || state.hereDocuments.length > 0) state.unclear("[[ … ]] is not plain");
    if (state.skip("\\\n") || state.skip("&&") || state.skip("||") || state.skip("(") || state.skip(")")) continue;
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
  }
  words.forEach(({ raw }, index) => {
    if (raw === "=~" && LOOKS_FOR_DIGITS.test(words[index + 1]?.raw ?? ""))
      state.flows.check(words[index - 1]?.variables ?? []);
    if (!ARITHMETIC_COMPARISONS.has(raw)) return;
    for (const operand of [words[index - 1], words[index + 1]]) state.flows.calculate(operand?.raw ?? "");
  });
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

function refuse(state: ShellState, words: readonly Word[], reason: string): void {
  for (const index of words.flatMap(templatesOf)) state.refuse(index, reason);
}
