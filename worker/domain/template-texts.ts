import type { JsonValue } from "../../schema/contract/json.ts";
import { parseTemplate, templatesOf } from "./template/parse.ts";
import type { ParsedTemplate } from "./template/parse.ts";
import type { Steps } from "./template/steps.ts";

/** Whether a template is anywhere in the value. */
export function hasTemplate(value: JsonValue | undefined): boolean {
  return templatesIn(value).some(({ parsed }) => templatesOf(parsed).length > 0);
}

export interface FoundText {
  /** Where in the value, joined by dots: `blocks.0.text`; empty for the value itself. */
  readonly at: string;
  readonly parsed: ParsedTemplate;
}

/** Every text of a value that has braces in it, with its place. */
export function templatesIn(value: JsonValue | undefined, at = "", steps?: Steps): FoundText[] {
  if (typeof value === "string") return value.includes("{{") ? [{ at, parsed: parseTemplate(value, steps) }] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => templatesIn(member, at === "" ? key : `${at}.${key}`, steps));
}
