import type { JsonValue } from "../../schema/contract/json.ts";
import { parseTemplate, templatesOf } from "./template/parse.ts";
import type { ParsedTemplate } from "./template/parse.ts";
import type { Steps } from "./steps.ts";

/** Whether the value contains a template at any depth. */
export function hasTemplate(value: JsonValue | undefined, steps?: Steps): boolean {
  return templatesIn(value, "", steps).some(({ parsed }) => templatesOf(parsed).length > 0);
}

export interface FoundText {
  /** The path in the value, joined by dots: `blocks.0.text`; empty for the value itself. */
  readonly at: string;
  readonly parsed: ParsedTemplate;
}

/** Every text of a value that has braces in it, with its path. */
export function templatesIn(value: JsonValue | undefined, at = "", steps?: Steps): FoundText[] {
  const found: FoundText[] = [];
  collect(value, at, steps, found);
  return found;
}

/** All calls share one list: a value may have tens of thousands of members. */
function collect(value: JsonValue | undefined, at: string, steps: Steps | undefined, found: FoundText[]): void {
  if (typeof value === "string") {
    if (value.includes("{{")) found.push({ at, parsed: parseTemplate(value, steps) });
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) collect(member, at === "" ? key : `${at}.${key}`, steps, found);
  }
}
