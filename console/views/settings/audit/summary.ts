import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";

const VALUE_MAX_CHARS = 60;
const FACTS_MAX = 4;

/** The first facts of an entry's detail in one line. */
export function summaryOf(detail: JsonObject): string {
  const facts = Object.entries(detail).filter(([, value]) => value !== null);
  const shown = facts.slice(0, FACTS_MAX).map(([name, value]) => `${name}: ${valueLabel(value)}`);
  return facts.length > FACTS_MAX ? `${shown.join(", ")}, …` : shown.join(", ");
}

function valueLabel(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > VALUE_MAX_CHARS ? `${text.slice(0, VALUE_MAX_CHARS)}…` : text;
}
