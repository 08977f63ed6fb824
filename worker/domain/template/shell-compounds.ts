import { acceptWords } from "./shell-places.ts";
import type { ShellState } from "./shell-state.ts";
import { isEvaluatedName } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { LOOKS_FOR_DIGITS } from "./shell-tests.ts";
import { readArithmetic, readWord } from "./shell-words.ts";

/** `for name in word …`, up to the end of its words. */
export function readFor(state: ShellState, skipLines: () => void): void {
  state.skipBlanks();
  if (state.startsWith("((")) {
    state.onlyInBash("for ((…))");
    state.at += 2;
    readArithmetic(state);
    return;
  }
  const name = readWord(state);
  if (name === null || !/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name.raw) || isEvaluatedName(name.raw)) {
    state.unclear("the variable of for is not plain");
  }
  skipLines();
  if (!/^in[\s;]/u.test(state.source.slice(state.at, state.at + 3))) return;
  state.at += 2;
  for (;;) {
    state.skipBlanks();
    if (state.ended || state.char === ";" || state.char === "\n" || state.char === "#") return;
    const word = readWord(state);
    if (word === null) state.unclear("the words of for are not plain");
    state.flows.assignWord(name.raw, word);
    acceptWords(state, [word]);
  }
}

/** `case word in pattern) commands;; esac`. */
export function readCase(state: ShellState, skipLines: () => void): void {
  state.skipBlanks();
  const subject = readWord(state);
  if (subject === null) state.unclear("case has no word");
  acceptWords(state, [subject]);
  skipLines();
  if (readWord(state)?.raw !== "in") state.unclear("case has no in");
  for (;;) {
    skipLines();
    if (/^esac(?![A-Za-z0-9_\0"'\\$`-])/u.test(state.source.slice(state.at, state.at + 5))) {
      state.at += "esac".length;
      return;
    }
    readPatterns(state, subject);
    state.hooks.readCommands(state, "caseItem");
  }
}

function readPatterns(state: ShellState, subject: Word): void {
  state.skip("(");
  for (;;) {
    state.skipBlanks();
    const pattern = readWord(state);
    if (pattern === null) state.unclear("a pattern of case is not plain");
    if (LOOKS_FOR_DIGITS.test(pattern.raw)) state.flows.check(subject.variables);
    for (const { index } of pattern.templates) {
      state.refuse(index, 'as a pattern of case: compare it with [ "$name" = {{…}} ] instead');
    }
    state.skipBlanks();
    if (state.skip(")")) return;
    if (!state.skip("|")) state.unclear("a pattern of case is not plain");
  }
}
