import { TEMPLATE_MARK, refused } from "./place.ts";
import type { Place } from "./place.ts";

export const PYTHON_REFERENCE = { before: '__import__("os").environ["', after: '"]' } as const;

/** One string of a Python script, its content from `from` to `to`. */
export interface PythonString {
  readonly prefix: string;
  readonly quotes: string;
  readonly from: number;
  readonly to: number;
}

export interface PlacesInString {
  readonly places: readonly Place[];
  /** Backslashes before quotes that would end a long string together with the ones written there. */
  readonly escapes: readonly number[];
}

/**
 * The places of the templates in a string. It ends before the value, the value is added, and it goes on behind it, with the
 * same quotes and prefix: `'a{{v}}b'` becomes `'a' + … + 'b'`. That is so for plain and raw strings, short and long ones.
 */
export function placesInString(source: string, string: PythonString): PlacesInString {
  const { prefix, quotes, from, to } = string;
  const places: Place[] = [];
  const escapes: number[] = [];
  const content = source.slice(from, to);
  const kind = prefix.toLowerCase();
  for (let at = content.indexOf(TEMPLATE_MARK); at >= 0; at = content.indexOf(TEMPLATE_MARK, at + 1)) {
    const refusal = refusalOf(kind, prefix) ?? backslashRefusal(content, at);
    const quotesBefore = quotes.length === 1 ? 0 : countBefore(content, at, quotes[0] ?? "");
    const escaped = countBefore(content, at - quotesBefore, "\\") % 2;
    if (refusal !== null) places.push(refused(refusal));
    else if (kind === "r" && quotesBefore > escaped) {
      places.push(refused('a quote stands right before it in a raw string: write it bare, "…" + {{…}}'));
    } else {
      for (let quote = quotesBefore - escaped; quote > 0; quote -= 1) escapes.push(from + at - quote);
      places.push({
        type: "reference",
        before: `${quotes} + ${PYTHON_REFERENCE.before}`,
        after: `${PYTHON_REFERENCE.after} + ${prefix}${quotes}`,
      });
    }
  }
  return { places, escapes };
}

function refusalOf(kind: string, prefix: string): string | null {
  if (kind === "" || kind === "u" || kind === "r") return null;
  if (kind.includes("f") || kind.includes("t")) {
    return (
      `in a string with the prefix ${prefix} two braces are Python's own way to write one: put the value into a ` +
      `variable (name = {{…}}) and write {name}`
    );
  }
  return `in a string with the prefix ${prefix} a text cannot be replaced: write it bare, {{…}}.encode()`;
}

function backslashRefusal(content: string, at: number): string | null {
  return countBefore(content, at, "\\") % 2 === 1 ? "a backslash stands right before it: remove the backslash" : null;
}

function countBefore(text: string, at: number, char: string): number {
  let count = 0;
  while (text[at - 1 - count] === char) count += 1;
  return count;
}
