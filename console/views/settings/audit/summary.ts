import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";

const VALUE_MAX_CHARS = 60;
const FACTS_MAX = 4;

/** The name of an entry's subject at that time; null for a subject without one. */
export function nameIn({ name }: JsonObject): string | null {
  return typeof name === "string" && name !== "" ? name : null;
}

/** The first facts of an entry's detail in one line, without the name. */
export function summaryOf(detail: JsonObject): string {
  const facts = Object.entries(detail).filter(([field, value]) => value !== null && field !== "name");
  const shown = facts.slice(0, FACTS_MAX).map(([name, value]) => `${name}: ${valueLabel(value)}`);
  return facts.length > FACTS_MAX ? `${shown.join(", ")}, …` : shown.join(", ");
}

function valueLabel(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_MAX_CHARS ? `${text.slice(0, VALUE_MAX_CHARS)}…` : text;
}
