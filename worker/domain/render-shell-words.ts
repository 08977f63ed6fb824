import { marked } from "./template/marks.ts";
import type { ParsedTemplate } from "./template/parse.ts";
import { shellPlaces } from "./template/shell.ts";

/** The position of a word in rendered code. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const RESERVED = /^(?:if|then|elif|else|fi|do|done|case|esac|for|in|while|until|select|function|time|coproc)$/u;
/** Variables of the shell that may hold text that a command was given or has read. */
const HOLDS_TEXT = /^(?:_|REPLY|MAPFILE|OPTARG|BASH_[A-Z0-9_]+)$/u;
/** The text after `<<`, without quotes, up to another operator. */
const DELIMITER = /(?<!<)<<-?[ \t]*(\S[^\n<>&|;()]*)/gu;
/** A backslash joins two lines if the delimiter is not quoted; strings write line breaks and tabs as \n and \t. */
const READINGS = [
  (text: string) => text,
  (text: string) => text.replaceAll(/\\\n/gu, ""),
  (text: string) => text.replaceAll(/\\[nrt]/gu, "\n"),
];
const ASSIGNS = /(?<![\w$])([A-Za-z_]\w{0,127})(?:\[[^\]\n]{0,128}\])?\+?=/gu;
const LOOPS = /(?<![\w-])(?:for|select|printf[ \t]+-v)[ \t]+["']?([A-Za-z_]\w{0,127})/gu;
const READS =
  /(?<![\w-])(?:read|mapfile|readarray|getopts|local|declare|typeset|export|readonly|integer)[ \t]([^\n;|&<]{0,256})/gu;
const NONE: ReadonlySet<string> = new Set();
const NAME_MAX_CHARS = 128;

/** Whether the character at a position belongs to a word. */
type InWord = (text: string, at: number) => boolean;
const inName: InWord = (text, at) => /[\w"'\\]/u.test(text[at] ?? "") || (text[at] === "\n" && text[at - 1] === "\\");
export const inFileName: InWord = (text, at) => /[\w."-]/u.test(text[at] ?? "");

/**
 * The reason why a shell would not read a word as an argument, although its characters are plain; null where it would.
 * `names` are the node's environment: arithmetic evaluates a variable's content, so no word may be one of them.
 * Programs in other languages run shells, too: there `isShell` is false, and the program's text is not read as shell.
 */
export function shellProblems(
  parsed: ParsedTemplate,
  rendered: string,
  spans: readonly Span[],
  names: ReadonlySet<string>,
  isShell: boolean,
): (string | null)[] {
  // A variable of the script may hold a copy of a value of env.
  const source = marked(parsed);
  const assigned = isShell && names.size > 0 ? assignedNames(source) : NONE;
  const places = isShell ? shellPlaces(source, false) : [];
  const endsDocument = delimiterLines(rendered);
  return spans.map((span, index) => {
    const word = rendered.slice(span.start, span.end);
    if (endsDocument(span)) return "would end a here-document. Write other text on its line, too.";
    if (word === "") return null;
    if (RESERVED.test(word) && places[index]?.startsCommand === true) {
      return `is ${word}, which is a reserved word of the shell. Pin the choice with | oneOf.`;
    }
    if (isShell && /^[^>\w-]?[0-9]+[<>]$/u.test(rendered.slice(Math.max(0, span.start - 1), span.end + 1))) {
      return "is a number right before a redirection, and would choose what is redirected. Put a space between them.";
    }
    const name = [word, wordAround(rendered, span, inName)]
      .flatMap((one) => one.split(/\W+/u))
      .find((one) => names.has(one) || assigned.has(one) || (isShell && HOLDS_TEXT.test(one)));
    return name === undefined
      ? null
      : `is ${name}, also the name of a variable that may hold free text, which arithmetic would run. Rename it in env, or pin the value with | int or | oneOf.`;
  });
}

/** Every name that the script gives a value, by = or by a word of the shell. */
function assignedNames(text: string): ReadonlySet<string> {
  const named = [ASSIGNS, LOOPS].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = ""]) => name));
  const read = [...text.matchAll(READS)].flatMap(
    ([, rest = ""]) => rest.replaceAll(/=\S*/gu, "").match(/(?<![\w-])[A-Za-z_]\w*/gu) ?? [],
  );
  return new Set([...named, ...read]);
}

/** A word with the characters that it touches, also through quotes and over a continued line: `TI"TLE"` is one word. */
export function wordAround(text: string, { start, end }: Span, inWord: InWord): string {
  let [from, to] = [start, end];
  while (start - from < NAME_MAX_CHARS && inWord(text, from - 1)) from -= 1;
  while (to - end < NAME_MAX_CHARS && inWord(text, to)) to += 1;
  return text.slice(from, to).replaceAll(/["'\\\n]/gu, "");
}

/** Whether the line around a word is the delimiter of a here-document, at any depth of quotes. */
function delimiterLines(text: string): (span: Span) => boolean {
  const delimiters = READINGS.flatMap((read) => [...unquoted(read(text)).matchAll(DELIMITER)]);
  const lines = new Set(delimiters.flatMap(([, rest = ""]) => [rest.trim(), rest.split(/\s/u, 1)[0]]));
  return ({ start, end }) =>
    lines.size > 0 &&
    READINGS.some((read) => {
      const [before = ""] = read(text.slice(Math.max(0, start - 300), start))
        .split("\n")
        .slice(-1);
      const [after = ""] = read(text.slice(end, end + 300)).split("\n", 1);
      const line = unquoted(before + text.slice(start, end) + after);
      return lines.has(line.replaceAll(/^\s+|[;)\s]+$/gu, ""));
    });
}

function unquoted(text: string): string {
  return text.replaceAll(/["'\\`]/gu, "");
}
