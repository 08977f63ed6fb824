import { MARK } from "./marks.ts";
import type { Steps } from "./steps.ts";

const OUTSIDE = 'is outside a string. Write it inside plain quotes, or pass it in env and read os.environ["NAME"].';
const FORMATTED =
  "is in a string with the prefix f or t, which Python evaluates. Use a plain string, or pass the value in env.";
const UNCLEAR =
  "is in a script with a string whose end is not clear. Close it, and write no quotes inside {…} of an f-string.";

/**
 * Why each template of a Python script cannot be where it is, as a sentence's end; null inside a plain string. The lexer
 * knows comments and quotes, and nothing else of Python.
 */
export function pythonPlaces(source: string, steps: Steps): (string | null)[] {
  steps.spend(source.length);
  const places: (string | null)[] = [];
  let at = 0;
  let mark = source.indexOf(MARK);
  while (at < source.length) {
    const char = source[at] ?? "";
    let end = at + 1;
    let reason: string | null = OUTSIDE;
    if (char === "#") end = lineEnd(source, at);
    else if (char === '"' || char === "'") {
      end = stringEnd(source, at);
      const isFormatted = /(?<![\p{L}\p{N}_])(?:[ft]r?|r[ft])$/iu.test(source.slice(Math.max(0, at - 3), at));
      if (end < 0 || (isFormatted && hasOpenField(source.slice(at, end)))) {
        return Array.from({ length: source.split(MARK).length - 1 }, () => UNCLEAR);
      }
      reason = isFormatted ? FORMATTED : null;
    }
    for (; mark >= 0 && mark < end; mark = source.indexOf(MARK, mark + 1)) places.push(reason);
    at = end;
  }
  return places;
}

function lineEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}

/** Behind the string that begins here, or -1 where it does not end; a backslash keeps the next character in it. */
function stringEnd(source: string, start: number): number {
  const quote = source[start] ?? "";
  const quotes = source.startsWith(quote.repeat(3), start) ? quote.repeat(3) : quote;
  for (let at = start + quotes.length; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source.startsWith(quotes, at)) return at + quotes.length;
    else if (source[at] === "\n" && quotes.length === 1) return -1;
  }
  return -1;
}

/** Since Python 3.12 a quote inside a field need not end the string: then a `{` before it has no `}`. */
function hasOpenField(text: string): boolean {
  const braces = text.replaceAll(/\{\{|\}\}/gu, "");
  return braces.split("{").length !== braces.split("}").length;
}
