import { canonicalTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import { quoted } from "./target-text.ts";

/** The fields in which a target differs from the bound one. Of a list only the entries that were added or removed. */
export function targetDifferences(
  bound: readonly JsonObject[],
  wanted: readonly JsonObject[],
  valueMaxChars: number,
): string[] {
  return wanted.flatMap((entry) => {
    const before = bound.find(({ type }) => type === entry["type"]) ?? bound[0] ?? {};
    return differencesOf(entry, before, "", valueMaxChars);
  });
}

function differencesOf(now: JsonObject, before: JsonObject, path: string, maxChars: number): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)]);
  return [...names].flatMap((name) => {
    const [is, was] = [now[name], before[name]];
    if (isJsonObject(is) && isJsonObject(was)) return differencesOf(is, was, `${path}${name}.`, maxChars);
    if (textOf(is) === textOf(was)) return [];
    const entries = Array.isArray(is) && Array.isArray(was) ? entriesOf(is, was, maxChars) : null;
    if (entries !== null) return [`${path}${name} ${entries}`];
    const [shownNow, shownBefore] = [is, was].map((value) => cut(textOf(value), maxChars));
    return [`${path}${name} is now ${shownNow}, and the credential is bound to ${shownBefore}`];
  });
}

/** Null for lists that have the same entries in another order. */
function entriesOf(is: readonly JsonValue[], was: readonly JsonValue[], maxChars: number): string | null {
  const [now, before] = [new Set(is.map(textOf)), new Set(was.map(textOf))];
  const added = is.filter((entry) => !before.has(textOf(entry)));
  const removed = was.filter((entry) => !now.has(textOf(entry)));
  const parts = [
    ...(added.length === 0 ? [] : [`now also has ${listed(added, maxChars)}`]),
    ...(removed.length === 0 ? [] : [`no longer has ${listed(removed, maxChars)}`]),
  ];
  return parts.length === 0 ? null : parts.join(" and ");
}

/** Whole entries, as many as fit, but at least one. */
function listed(entries: readonly JsonValue[], maxChars: number): string {
  const texts = entries.map((entry) => cut(quoted(entry), maxChars));
  let [shown, chars] = [0, 0];
  while (shown < texts.length && (shown === 0 || chars + (texts[shown]?.length ?? 0) <= maxChars)) {
    chars += texts[shown]?.length ?? 0;
    shown++;
  }
  const more = texts.length - shown;
  return `${texts.slice(0, shown).join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
}

function textOf(value: JsonValue | undefined): string {
  return value === undefined ? "nothing" : canonicalTarget(value);
}

export function cut(text: string, maxChars: number): string {
  return text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;
}
