import { TEMPLATE_MARK } from "./place.ts";
import { REFERENCE_PLACES } from "./shell-places.ts";
import type { ShellState } from "./shell-state.ts";
import { templatesOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { readWord } from "./shell-words.ts";

const OPERATORS = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"] as const;
/** `2>`, and `{name}>` in bash: such a word belongs to the redirection, not to the command. */
const DESCRIPTOR = /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$/u;

/** A redirection and its target. A value may name a file; it may not name a descriptor. */
export function readRedirection(state: ShellState, words: Word[]): void {
  const before = words.at(-1);
  if (before !== undefined && before.end === state.at && DESCRIPTOR.test(before.raw)) {
    if (before.raw.startsWith("{")) state.onlyInBash("{name}>");
    words.pop();
  }
  const operator = OPERATORS.find((candidate) => state.skip(candidate)) ?? state.unclear("a redirection is not plain");
  state.skipBlanks();
  if (operator === "<<" || operator === "<<-") return readDelimiter(state, operator === "<<-");
  if (operator === "<<<") state.onlyInBash("<<<");
  const target = readWord(state) ?? state.unclear("a redirection has no target");
  if (operator === "<" || operator === "<<<" || operator === "<>") state.input.push(...templatesOf(target));
  for (const { index, quoting } of target.templates) {
    if (operator === "<&" || operator === ">&") {
      state.refuse(index, `after ${operator} the value would name a descriptor: use ${operator[0]} with a file`);
    } else state.places.set(index, REFERENCE_PLACES[quoting]);
  }
}

/** The bodies of the here-documents that were announced on the line before. */
export function readHereDocuments(state: ShellState): void {
  for (const { delimiter, stripsTabs, literal } of state.hereDocuments) {
    const start = state.at;
    let joined = false;
    while (!state.ended) {
      const newline = state.source.indexOf("\n", state.at);
      const end = newline < 0 ? state.source.length : newline;
      const line = state.source.slice(state.at, end);
      state.at = Math.min(end + 1, state.source.length);
      const shown = stripsTabs ? line.replace(/^\t+/u, "") : line;
      if (!joined && shown === delimiter) break;
      joined = !literal && /(?:^|[^\\])(?:\\\\)*\\$/u.test(line);
    }
    const reason = "here-documents take no values yet: print it with printf '%s\\n' {{…}} instead";
    state.placeBetween(start, state.at, { type: "refused", reason: state.refusal ?? reason });
  }
  state.hereDocuments = [];
}

function readDelimiter(state: ShellState, stripsTabs: boolean): void {
  const word = readWord(state) ?? state.unclear("a here-document has no delimiter");
  if (word.literal === null || word.raw.includes("$") || word.raw.includes("`") || word.raw.includes(TEMPLATE_MARK)) {
    state.unclear("the delimiter of a here-document is not plain");
  }
  state.hereDocuments.push({ delimiter: word.literal, stripsTabs, literal: word.raw !== word.literal });
}
