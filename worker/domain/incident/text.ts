import {
  INCIDENT_DESCRIPTION_MAX_CHARS,
  INCIDENT_TAG_KEY_MAX_CHARS,
  INCIDENT_TAG_VALUE_MAX_CHARS,
  INCIDENT_TEXT_MAX_CHARS,
  INCIDENT_TITLE_MAX_CHARS,
} from "../../../schema/contract/incident.ts";
import { INCIDENT_TAGS_MAX } from "../../../schema/limits.ts";
import { textOf } from "../template/value.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";

/** Texts of other systems are cut to an incident's limits, not refused: a long description must not lose an alert. */
export function toTitle(text: string): string {
  return clip(text.trim(), INCIDENT_TITLE_MAX_CHARS);
}

export function toDescription(text: string | undefined): string | null {
  return text === undefined || text.trim() === "" ? null : clip(text, INCIDENT_DESCRIPTION_MAX_CHARS);
}

/** The first of these texts that is not empty. */
export function firstText(...candidates: readonly (string | null | undefined)[]): string | null {
  for (const candidate of candidates) {
    const text = candidate?.trim() ?? "";
    if (text !== "") return clip(text, INCIDENT_TEXT_MAX_CHARS);
  }
  return null;
}

/**
 * Tags from any JSON values: texts unchanged, other values as JSON, null left out. Names too long for a tag are left
 * out, since cutting could make two of them equal.
 */
export function toTags(entries: Iterable<readonly [string, JsonValue | undefined]>): Record<string, string> {
  const tags = new Map<string, string>();
  for (const [key, value] of entries) {
    if (tags.size >= INCIDENT_TAGS_MAX) break;
    if (key === "" || key.length > INCIDENT_TAG_KEY_MAX_CHARS || value === null || value === undefined) continue;
    tags.set(key, clip(textOf(value), INCIDENT_TAG_VALUE_MAX_CHARS));
  }
  return Object.fromEntries(tags);
}

/** At most `max` UTF-16 units, with … in place of the rest, never cut inside a character. */
function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/u.test(cut) ? cut.slice(0, -1) : cut}…`;
}
