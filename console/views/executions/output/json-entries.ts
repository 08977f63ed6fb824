import type { JsonValue } from "../../../../schema/contract/json.ts";
import { executionOutput as texts } from "../../../strings/en/execution-output.ts";

/** How many characters of a long text the tree shows. The raw text has all of it. */
export const CHARS_SHOWN = 2_000;
const PAGE = 100;

/** The members of an object or an array; none for other values. */
export function entriesOf(value: JsonValue): [name: string, value: JsonValue][] {
  return value !== null && typeof value === "object" ? Object.entries(value) : [];
}

/** How many members are shown after one more request: a large array must not fill the page. */
export function shownEntries(before: number): number {
  return before + PAGE;
}

export function describedValue(value: JsonValue): string {
  const { length } = entriesOf(value);
  return Array.isArray(value) ? `[${texts.tree.items(length)}]` : `{${texts.tree.fields(length)}}`;
}

/** A text as JSON, with its line breaks as such. */
export function quotedText(text: string): string {
  const lines = text.split("\n").map((line) => JSON.stringify(line).slice(1, -1));
  return `"${lines.join("\n")}"`;
}

/** The value of a text that is a JSON object or array with members; null for any other text. */
export function treeOf(text: string): JsonValue | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return entriesOf(value).length > 0 ? value : null;
  } catch {
    return null;
  }
}
