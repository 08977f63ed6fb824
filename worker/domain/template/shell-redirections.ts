import { TEMPLATE_MARK } from "./place.ts";
import type { Input } from "./shell-inputs.ts";
import { REFERENCE_PLACES } from "./shell-places.ts";
import type { ShellState } from "./shell-state.ts";
import { templatesOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";
import { readWord } from "./shell-words.ts";

const OPERATORS = ["<<<", "<<-", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">"] as const;
/** `2>`, and `{name}>` in bash: such a word belongs to the redirection, not to the command. */
const DESCRIPTOR = /^(?:[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})$/u;

const QUOTED_DELIMITER =
  "the quotes around the delimiter keep the shell from replacing anything: write the delimiter without quotes, and a " +
  "backslash before every other $, ` and \\ of the text";

/** A redirection and its target. A value may name a file; it may not name a descriptor. */
export function readRedirection(state: ShellState, words: Word[]): void {
  const before = words.at(-1);
  if (before !== undefined && before.end === state.at && DESCRIPTOR.test(before.raw)) {
    if (before.raw.startsWith("{")) state.onlyInBash("{name}>");
    words.pop();
  }
  const operator = OPERATORS.find((candidate) => state.skip(candidate)) ?? state.unclear("a redirection is not plain");
  state.skipBlanks();
  // exec gives it to everything that follows.
  const input = words[0]?.literal === "exec" ? "shared" : state.flows.inputs.own;
  if (operator === "<<" || operator === "<<-") return readDelimiter(state, operator === "<<-", input);
  if (operator === "<<<") state.onlyInBash("<<<");
  const target = readWord(state) ?? state.unclear("a redirection has no target");
  if (operator === "<<<" && target.literal !== null && input !== "shared") state.hooks.noteBody(input, target.literal);
  if (operator === "<<<") state.flows.reads(templatesOf(target), target.variables, input);
  else if (operator === "<" || operator === "<>") state.flows.readsFile(target, input);
  else if (!operator.endsWith("&")) state.flows.writesFile(target);
  for (const { index, quoting } of target.templates) {
    if (operator === "<&" || operator === ">&") {
      state.refuse(index, `after ${operator} the value would name a descriptor: use ${operator[0]} with a file`);
    } else state.places.set(index, REFERENCE_PLACES[quoting]);
  }
}

/** The bodies of the here-documents that were announced on the line before. */
export function readHereDocuments(state: ShellState): void {
  for (const { delimiter, stripsTabs, literal, input } of state.hereDocuments) {
    const start = state.at;
    let joined = false;
    while (!state.ended) {
      const newline = state.source.indexOf("\n", state.at);
      const end = newline < 0 ? state.source.length : newline;
      const line = state.source.slice(state.at, end);
      state.at = Math.min(end + 1, state.source.length);
      const shown = stripsTabs ? line.replace(/^\t+/u, "") : line;
      if (!joined && shown === delimiter) break;
      // In $(…) bash lets such a line end the document, and warns.
      if (state.depth > 0 && shown.startsWith(delimiter) && shown.includes(")"))
        state.unclear("a line of a here-document begins as its end does");
      joined = !literal && /(?:^|[^\\])(?:\\\\)*\\$/u.test(line);
    }
    const text = state.source.slice(start, state.at);
    // Where the outer shell expands the text, only what is kept from it is expanded by the one that gets it.
    const isCode = (literal || /\\[$`]/u.test(text)) && state.templatesBetween(start, state.at).length === 0;
    if (isCode && input !== "shared") {
      state.hooks.noteBody(input, literal ? text : text.replaceAll(/\\([$`\\])/gu, "$1"));
    }
    if (literal) state.placeBetween(start, state.at, { type: "refused", reason: state.refusal ?? QUOTED_DELIMITER });
    else readBody(state, start, state.at, input);
  }
  state.hereDocuments = [];
}

/** What is expanded in a body reaches the command as its input, and so may end in an interpreter. */
function readBody(state: ShellState, from: number, to: number, input: Input | "shared"): void {
  const templates = state.templatesBetween(from, to);
  const variables = state.flows.mark();
  if (!state.hooks.readHereBody(from, to)) {
    if (templates.length > 0) state.unclear("a here-document with a template is not plain");
    // Without templates it may hold what these rules do not know.
    for (const [, name] of state.source.slice(from, to).matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*|[1-9@*])/gu))
      state.flows.expand(name ?? "");
  }
  state.flows.reads(templates, state.flows.since(variables), input);
}

function readDelimiter(state: ShellState, stripsTabs: boolean, input: Input | "shared"): void {
  const word = readWord(state) ?? state.unclear("a here-document has no delimiter");
  if (word.literal === null || word.raw.includes("$") || word.raw.includes("`") || word.raw.includes(TEMPLATE_MARK)) {
    state.unclear("the delimiter of a here-document is not plain");
  }
  state.hereDocuments.push({ delimiter: word.literal, stripsTabs, literal: word.raw !== word.literal, input });
}
