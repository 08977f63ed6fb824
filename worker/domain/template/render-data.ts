import type { JsonValue } from "../../../schema/contract/json.ts";
import { loneTemplate, parseTemplate } from "./parse.ts";
import { textOf } from "./value.ts";
import type { Resolve } from "./value.ts";

/**
 * A value with its templates replaced. A text that is one template alone becomes the value itself, with its type, or an
 * empty text when it does not resolve; in longer text values are turned to text. Names of objects are left as they are.
 */
export function renderData(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === "string") {
    const path = loneTemplate(value);
    if (path === null) return renderText(value, resolve);
    const found = resolve(path);
    return found === undefined ? "" : found;
  }
  if (Array.isArray(value)) return value.map((member) => renderData(member, resolve));
  if (typeof value !== "object" || value === null) return value;
  // fromEntries defines own properties, also one that is called __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renderData(member, resolve)]));
}

/** A text with its templates replaced by text, each escaped for where it stands. */
export function renderText(
  text: string,
  resolve: Resolve,
  escape: (value: string) => string = (value) => value,
): string {
  if (!text.includes("{{")) return text;
  return parseTemplate(text)
    .segments.map((segment) => (segment.type === "text" ? segment.text : escape(textOf(resolve(segment.path)))))
    .join("");
}
