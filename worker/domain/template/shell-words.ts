import { TEMPLATE_MARK } from "./place.ts";
import { ENDS_WORD, USE_DOUBLE_QUOTES, followsContinuation, insteadOf, isPartOfRegex } from "./shell-characters.ts";
import { append, expand, newDraft } from "./shell-draft.ts";
import type { Draft } from "./shell-draft.ts";
import { mayBeSeveral } from "./shell-positions.ts";
import { REFERENCE_PLACES } from "./shell-places.ts";
import type { ShellState } from "./shell-state.ts";
import type { Word, WordTemplate } from "./shell-word.ts";

/** Reads one word; null when none begins here. Brackets of a regular expression are part of it. */
export function readWord(state: ShellState, kind: "plain" | "regex" = "plain"): Word | null {
  const start = state.at;
  const word = newDraft();
  const variables = state.flows.mark();
  let open = 0;
  for (;;) {
    const { char } = state;
    if (char === "<" || char === ">") {
      if (state.source[state.at + 1] !== "(" || kind === "regex") break;
      readProcessSubstitution(state, word);
    } else if (kind === "regex" && isPartOfRegex(char, open)) {
      if (char === "(") open += 1;
      if (char === ")") open -= 1;
      append(word, char);
      state.at += 1;
    } else if (ENDS_WORD.has(char)) {
      if (char !== "(" || state.at === start) break;
      if (!readArray(state, start, word)) break;
    } else readPart(state, word);
  }
  if (state.at === start) return null;
  const raw = state.source.slice(start, state.at);
  if (raw.includes("\n") && state.hereDocuments.length > 0) state.unclear("a here-document begins inside a word");
  const own = new Set(word.templates.map(({ index }) => index));
  return {
    raw,
    literal: word.literal,
    residue: word.residue,
    prefix: word.prefix ?? word.residue,
    templates: word.templates,
    inner: raw.includes(TEMPLATE_MARK)
      ? state.templatesBetween(start, state.at).filter((index) => !own.has(index))
      : [],
    variables: state.flows.since(variables),
    isNumber: isNumber(state, raw, start),
    elements: word.elements,
    start,
    end: state.at,
  };
}

/** Whether a number is all that the word assigns. */
function isNumber(state: ShellState, raw: string, start: number): boolean {
  const before = /^[A-Za-z_][A-Za-z0-9_]*="?/u.exec(raw)?.[0];
  if (before === undefined) return false;
  return state.numberEnds.get(start + before.length) === state.at - (before.endsWith('"') ? 1 : 0);
}

function readPart(state: ShellState, word: Draft): void {
  const { char } = state;
  switch (char) {
    case TEMPLATE_MARK:
      return readTemplate(state, word, "bare");
    case "\\":
      return readEscape(state, word, () => true);
    case "'":
      return readSingleQuotes(state, word);
    case '"':
      return readDoubleQuotes(state, word);
    case "$":
      return readDollar(state, word, "bare");
    case "`":
      return readBackticks(state, word);
    default:
      append(word, char);
      state.at += 1;
  }
}

function readTemplate(state: ShellState, word: Draft, quoting: WordTemplate["quoting"]): void {
  const index = state.templateAt(state.at);
  if (followsContinuation(state.source, state.at)) {
    state.refuse(index, "it stands right after a line that a backslash continues: write it on one line");
  } else if (state.refusal !== null) state.refuse(index, state.refusal);
  else word.templates.push({ index, quoting });
  expand(word);
  state.at += 1;
}

function readEscape(state: ShellState, word: Draft, escapes: (char: string) => boolean): void {
  if (state.skip("\\\n")) return;
  const next = state.source[state.at + 1] ?? "";
  if (next === TEMPLATE_MARK) {
    state.refuse(state.templateAt(state.at + 1), "a backslash stands right before it: remove the backslash");
    expand(word);
    state.at += 2;
    return;
  }
  append(word, escapes(next) ? next : `\\${next}`);
  state.at += 2;
}

function readSingleQuotes(state: ShellState, word: Draft): void {
  const end = state.source.indexOf("'", state.at + 1);
  if (end < 0) state.unclear("a single quote is not closed");
  const text = state.source.slice(state.at + 1, end);
  refuseInside(state, state.at, end, `in single quotes nothing is replaced: ${insteadOf(text)}`);
  append(word, text);
  state.at = end + 1;
}

function readDoubleQuotes(state: ShellState, word: Draft): void {
  state.at += 1;
  for (;;) {
    const { char } = state;
    if (char === "") state.unclear("a double quote is not closed");
    if (state.skip('"')) return;
    if (char === TEMPLATE_MARK) readTemplate(state, word, "double");
    else if (char === "\\") readEscape(state, word, (next) => '$`"\\'.includes(next));
    else if (char === "$") readDollar(state, word, "double");
    else if (char === "`") readBackticks(state, word);
    else {
      append(word, char);
      state.at += 1;
    }
  }
}

function readDollar(state: ShellState, word: Draft, quoting: WordTemplate["quoting"]): void {
  const next = state.source[state.at + 1] ?? "";
  if (next === TEMPLATE_MARK) {
    state.refuse(state.templateAt(state.at + 1), "a $ stands right before it: remove the $, the template is enough");
    expand(word);
    state.at += 2;
  } else if (next === "(" && state.source[state.at + 2] === "(") {
    const start = state.at;
    state.at += 3;
    readArithmetic(state);
    state.numberEnds.set(start, state.at);
    expand(word);
  } else if (next === "(") {
    const start = state.at;
    state.at += 2;
    if (state.hooks.readCommands(state, ")")) state.numberEnds.set(start, state.at);
    expand(word);
  } else if (next === "{") {
    state.at += 2;
    state.flows.expandBraces(state.source.slice(state.at, state.at + 260));
    state.refusing(
      "inside ${…} the value would become part of an expansion: put it into a variable first (name={{…}}) and expand that",
      () => readBraces(state, quoting),
    );
    expand(word);
  } else if (next === "'" && quoting === "bare") readAnsiQuotes(state, word);
  else if (next === '"' && quoting === "bare") {
    state.onlyInBash('$"…"');
    state.at += 1;
    state.refusing('in $"…" the text is translated first: use plain double quotes', () =>
      readDoubleQuotes(state, word),
    );
  } else if (next === "[") state.unclear("$[…] is an old form of arithmetic");
  else {
    const name = /^(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])/u.exec(
      state.source.slice(state.at + 1, state.at + 260),
    )?.[0];
    if (name === undefined) append(word, "$");
    else {
      expand(word);
      state.flows.expand(name);
    }
    state.at += 1 + (name?.length ?? 0);
    // A name that goes on behind this would end somewhere that these rules do not look.
    if (state.startsWith("\\\n") || (name?.length ?? 0) > 255) state.unclear("the name of a variable is not plain");
  }
}

function readAnsiQuotes(state: ShellState, word: Draft): void {
  state.onlyInBash("$'…'");
  const start = state.at;
  state.at += 2;
  while (!state.ended && state.char !== "'") state.at += state.char === "\\" ? 2 : 1;
  if (state.ended) state.unclear("a single quote is not closed");
  refuseInside(state, start, state.at, `in $'…' nothing is replaced: ${USE_DOUBLE_QUOTES}`);
  state.at += 1;
  expand(word);
}

/** The body of a here-document, to the end of the source: as in double quotes, but a double quote is only a character. */
export function readHereBody(state: ShellState): void {
  const body = newDraft();
  if (/\$\{[^}\n]*["']/u.test(state.source.slice(state.at)))
    state.unclear("a quote stands inside ${…} of a here-document");
  while (!state.ended) {
    const { char } = state;
    if (char === TEMPLATE_MARK) readTemplate(state, body, "double");
    else if (char === "\\") readEscape(state, body, (next) => "$`\\".includes(next));
    else if (char === "$") readDollar(state, body, "double");
    else if (char === "`") readBackticks(state, body);
    else state.at += 1;
  }
  for (const { index, quoting } of body.templates) state.places.set(index, REFERENCE_PLACES[quoting]);
}

function readBackticks(state: ShellState, word: Draft): void {
  const start = state.at;
  state.at += 1;
  while (!state.ended && state.char !== "`") state.at += state.char === "\\" ? 2 : 1;
  if (state.ended) state.unclear("a backtick is not closed");
  refuseInside(state, start, state.at, "inside backticks the quoting is not clear: write $(…) instead");
  const code = state.source.slice(start + 1, state.at).replaceAll(/\\([\\`$])/gu, "$1");
  if (!code.includes(TEMPLATE_MARK) && !state.hooks.readNested(state.dialect, code))
    state.unclear("what stands in backticks is not plain: write $(…) instead");
  state.at += 1;
  expand(word);
}

/** The rest of `${…}`. */
function readBraces(state: ShellState, quoting: WordTemplate["quoting"]): void {
  const ignored = newDraft();
  for (;;) {
    const { char } = state;
    if (char === "") state.unclear("${ is not closed");
    if (state.skip("}")) return;
    if (char === "'" && quoting === "double")
      state.unclear('whether a single quote inside "${…}" quotes depends on the operator');
    else if (char === "'") readSingleQuotes(state, ignored);
    else if (char === '"') readDoubleQuotes(state, ignored);
    else if (char === TEMPLATE_MARK) readTemplate(state, ignored, quoting);
    else if (char === "\\") readEscape(state, ignored, () => true);
    else if (char === "$") readDollar(state, ignored, quoting);
    else if (char === "`") readBackticks(state, ignored);
    else state.at += 1;
  }
}

/** The rest of `((…))`, after its second bracket. */
export function readArithmetic(state: ShellState): void {
  const ignored = newDraft();
  const start = state.at;
  state.refusing(
    "in arithmetic the shell evaluates the value, and runs commands that stand in it: put it into a variable, make sure " +
      "that it is a number (case $n in *[!0-9]*) exit 1;; esac), and calculate with the variable",
    () => {
      let open = 2;
      while (open > 0) {
        const { char } = state;
        if (char === TEMPLATE_MARK) readTemplate(state, ignored, "bare");
        else if (char === "$") readDollar(state, ignored, "bare");
        else if (char === "" || "'\"`\\#".includes(char)) state.unclear("this arithmetic is not plain");
        else {
          if (char === "(") open += 1;
          if (char === ")") open -= 1;
          if (open === 1 && char === ")" && state.source[state.at + 1] !== ")") state.unclear("(( is not closed by ))");
          state.at += 1;
        }
      }
    },
  );
  state.flows.calculate(state.source.slice(start, state.at));
}

function readProcessSubstitution(state: ShellState, word: Draft): void {
  state.onlyInBash("<(…)");
  state.at += 2;
  state.hooks.readCommands(state, ")");
  expand(word);
}

/** `name=( … )`: its elements are words of their own. False when the bracket is something else. */
function readArray(state: ShellState, start: number, word: Draft): boolean {
  const before = state.source.slice(start, state.at);
  if (/[?*+@!]$/u.test(before)) state.unclear("this looks like a pattern of extglob");
  if (!/^[A-Za-z_][A-Za-z0-9_]*\+?=$/u.test(before)) return false;
  state.onlyInBash("an array");
  state.at += 1;
  const elements: (string | null)[] = [];
  for (;;) {
    while (state.char === "\n" || state.char === " " || state.char === "\t") state.at += 1;
    if (state.skip("\\\n")) continue;
    if (state.skip(")")) break;
    if (state.char === "#") state.unclear("a comment stands inside an array");
    const element = readWord(state);
    if (element === null) state.unclear("this array is not plain");
    elements.push(mayBeSeveral(element) ? null : element.literal);
    if (element.raw.startsWith("[")) state.flows.calculate(element.raw.split("]")[0] ?? "");
    for (const template of element.templates) {
      if (element.raw.startsWith("["))
        state.refuse(template.index, "as the index of an array the value would be arithmetic");
      else word.templates.push(template);
    }
  }
  expand(word);
  const plain = elements.filter((element) => element !== null);
  if (plain.length === elements.length) word.elements = plain;
  return true;
}

function refuseInside(state: ShellState, from: number, to: number, reason: string): void {
  state.placeBetween(from, to, { type: "refused", reason: state.refusal ?? reason });
}
