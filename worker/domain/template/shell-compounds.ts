import { mayBeSeveral } from "./shell-positions.ts";
import { acceptWords } from "./shell-places.ts";
import type { ShellState } from "./shell-state.ts";
import { isEvaluatedName } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { loneVariable, takenBy } from "./shell-number-events.ts";
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
  if (!/^in[\s;]/u.test(state.source.slice(state.at, state.at + 3))) {
    // Without words it takes the arguments.
    const all = state.flows.positions.holderOf("@");
    state.flows.numbers.push({ type: "assign", to: name.raw, is: "anything" });
    state.flows.constants.open(name.raw);
    return state.flows.assign(name.raw, [], [all]);
  }
  state.at += 2;
  const words: Word[] = [];
  for (;;) {
    state.skipBlanks();
    if (state.ended || state.char === ";" || state.char === "\n" || state.char === "#") break;
    words.push(readWord(state) ?? state.unclear("the words of for are not plain"));
  }
  for (const word of words) {
    state.flows.give(name.raw, word);
    if (word.literal === null || mayBeSeveral(word)) state.flows.constants.open(name.raw);
    else state.flows.constants.assign(name.raw, word.literal, false);
  }
  const areNumbers = words.every(({ literal }) => literal !== null && /^[0-9]+$/u.test(literal));
  state.flows.numbers.push({ type: "assign", to: name.raw, is: areNumbers ? "number" : "anything" });
  acceptWords(state, words);
}

/** `case word in pattern) commands;; esac`. */
export function readCase(state: ShellState, skipLines: () => void): void {
  state.skipBlanks();
  const subject = readWord(state);
  if (subject === null) state.unclear("case has no word");
  acceptWords(state, [subject]);
  const variable = loneVariable(subject.raw);
  const holder = variable === null ? null : state.flows.positions.holderOf(variable);
  state.flows.numbers.push({ type: "case", subject: holder });
  skipLines();
  if (readWord(state)?.raw !== "in") state.unclear("case has no in");
  for (;;) {
    skipLines();
    if (/^esac(?![A-Za-z0-9_\0"'\\$`-])/u.test(state.source.slice(state.at, state.at + 5))) {
      state.at += "esac".length;
      state.flows.numbers.push({ type: "esac" });
      return;
    }
    readPatterns(state);
    state.hooks.readCommands(state, "caseItem");
  }
}

function readPatterns(state: ShellState): void {
  const patterns: string[] = [];
  state.skip("(");
  for (;;) {
    state.skipBlanks();
    const pattern = readWord(state);
    if (pattern === null) state.unclear("a pattern of case is not plain");
    patterns.push(pattern.raw);
    for (const { index } of pattern.templates) {
      state.refuse(index, 'as a pattern of case: compare it with [ "$name" = {{…}} ] instead');
    }
    state.skipBlanks();
    if (state.skip(")")) break;
    if (!state.skip("|")) state.unclear("a pattern of case is not plain");
  }
  state.flows.numbers.push({ type: "arm", takes: takenBy(patterns) });
}
