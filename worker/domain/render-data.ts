import type { JsonValue } from "../../schema/contract/json.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../schema/limits.ts";
import { shorten } from "./shown-errors.ts";
import { TemplateFailure } from "./template/failure.ts";
import { evaluate } from "./template/filters.ts";
import { loneTemplate, parseTemplate } from "./template/parse.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";

/**
 * A value with its templates replaced. A text that is only a template becomes the value itself, with its type, or an
 * empty text when it does not resolve; in longer text, values become text. Names of objects do not change. Throws
 * `TemplateFailure`.
 */
export function renderData(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === "string") {
    const template = loneTemplate(value);
    if (template === null) return renderText(value, resolve);
    const found = evaluate(template, resolve);
    return found === undefined ? "" : found;
  }
  if (Array.isArray(value)) return value.map((member) => renderData(member, resolve));
  if (typeof value !== "object" || value === null) return value;
  // fromEntries defines own properties, also one that is called __proto__.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renderData(member, resolve)]));
}

/** A text with its templates replaced by text, each escaped for its place. Throws `TemplateFailure`. */
export function renderText(
  text: string,
  resolve: Resolve,
  escape: (value: string) => string = (value) => value,
): string {
  if (!text.includes("{{")) return text;
  let rendered = "";
  for (const segment of parseTemplate(text).segments) {
    rendered += segment.type === "text" ? segment.text : escape(textOf(evaluate(segment, resolve)));
    // A text may use one large value thousands of times: stop once no job can hold the result.
    if (rendered.length > RENDERED_JOB_MAX_BYTES + text.length)
      throw tooLarge(segment.type === "path" ? segment.source : "");
  }
  return rendered;
}

function tooLarge(source: string): TemplateFailure {
  const message = `At ${shorten(source, 200)} the text has more than ${RENDERED_JOB_MAX_BYTES} characters with its values. Pass less data.`;
  return new TemplateFailure("value_too_large", message);
}
