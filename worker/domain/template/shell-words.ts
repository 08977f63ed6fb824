import { marked } from "./marks.ts";
import type { ParsedTemplate } from "./parse.ts";
import { shellPlaces } from "./shell.ts";

/** Where a word is in rendered code. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const RESERVED = /^(?:if|then|elif|else|fi|do|done|case|esac|for|in|while|until|select|function|time|coproc)$/u;
/** Variables of the shell itself that may hold what a command got or read. */
const HOLDS_TEXT = /^(?:_|REPLY|MAPFILE|OPTARG|BASH_[A-Z0-9_]+)$/u;
/** What follows `<<` on its line. */
const DELIMITER = /(?<!<)<<-?[ \t]*(?=([^\n]{1,256}))/gu;
const NAME_MAX_CHARS = 128;

/** Whether the character at a position belongs to a word. */
type InWord = (text: string, at: number) => boolean;
const inName: InWord = (text, at) => /[\w"'\\]/u.test(text[at] ?? "") || (text[at] === "\n" && text[at - 1] === "\\");
export const inFileName: InWord = (text, at) => /[\w."-]/u.test(text[at] ?? "");

/**
 * What a shell would read differently at each word, though its characters are plain; null where it is an argument. `names`
 * are those of the node's environment: arithmetic evaluates what a variable holds, so no word may be one of them.
 */
export function shellProblems(
  parsed: ParsedTemplate,
  rendered: string,
  spans: readonly Span[],
  names: ReadonlySet<string>,
): (string | null)[] {
  const places = shellPlaces(marked(parsed), false);
  const endsDocument = delimiterLines(rendered);
  return spans.map(({ start, end }, index) => {
    const word = rendered.slice(start, end);
    if (endsDocument(start, end)) return "would end a here-document. Write other text on its line, too.";
    if (word === "") return null;
    if (RESERVED.test(word) && places[index]?.startsCommand === true) {
      return `is ${word}, which is a word of the shell itself. Pin the choice with | oneOf.`;
    }
    if (/^[0-9]+$/u.test(word) && /[<>]/u.test(rendered[end] ?? "")) {
      return "is a number right before a redirection, and would choose what is redirected. Put a blank between them.";
    }
    const name = wordAround(rendered, { start, end }, inName)
      .split(/\W+/u)
      .find((one) => names.has(one) || HOLDS_TEXT.test(one));
    return name === undefined
      ? null
      : `is ${name}, a variable that may hold free text, and arithmetic would evaluate it. Rename it in env, or pin the value with | int or | oneOf.`;
  });
}

/** A word with what it touches, also through quotes and behind a line that goes on: `TI"TLE"` is one word. */
export function wordAround(text: string, { start, end }: Span, inWord: InWord): string {
  let [from, to] = [start, end];
  while (start - from < NAME_MAX_CHARS && inWord(text, from - 1)) from -= 1;
  while (to - end < NAME_MAX_CHARS && inWord(text, to)) to += 1;
  return text.slice(from, to).replaceAll(/["'\\\n]/gu, "");
}

/** Whether the line around a word is the delimiter of a here-document, at any depth of quotes. */
function delimiterLines(text: string): (start: number, end: number) => boolean {
  const delimiters = [...text.matchAll(DELIMITER)].flatMap(([, rest = ""]) => [
    unquoted(rest).split(/[\s<>&|;()]/u, 1)[0] ?? "",
    /^["'\\]+([^"'\\]+)["'\\]/u.exec(rest)?.[1]?.trim() ?? "",
  ]);
  const lines = new Set(delimiters.filter((one) => one !== ""));
  if (lines.size === 0) return () => false;
  const lineAround = (before: string, word: string, after: string) =>
    unquoted(`${before.slice(before.lastIndexOf("\n") + 1)}${word}${after.split("\n", 1)[0] ?? ""}`)
      .replace(/[;)\s]+$/u, "")
      .trim();
  return (start, end) => {
    const around = [text.slice(Math.max(0, start - 300), start), text.slice(start, end), text.slice(end, end + 300)];
    // Where the delimiter is not quoted, a backslash joins two lines.
    return [around, around.map((part) => part.replaceAll("\\\n", ""))].some(([before = "", word = "", after = ""]) =>
      lines.has(lineAround(before, word, after)),
    );
  };
}

function unquoted(text: string): string {
  return text.replaceAll(/["'\\`]/gu, "");
}
