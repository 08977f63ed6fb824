import { AUDIT_SUBJECT_TYPES, AUDIT_VERBS } from "../../../../schema/contract/audit-labels.ts";
import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";
import { audit as text } from "../../../strings/en/audit.ts";

const VALUE_MAX_CHARS = 120;
const FACTS_MAX = 4;
const NAMES = ["name", "title", "email"];
const BEFORE = /Before$/u;
const ID = /Id$/u;

/** What was done, in words. A newer service may send an action that has none here. */
export function actionLabel(verb: string): string {
  const known = AUDIT_VERBS.find((each) => each === verb);
  return known === undefined ? verb : text.actions[known];
}

export function subjectLabel(type: string): string {
  const known = AUDIT_SUBJECT_TYPES.find((each) => each === type);
  return known === undefined ? type : text.subjects[known];
}

/** The name of an entry's subject at that time; null for a subject without one. */
export function nameIn(detail: JsonObject): string | null {
  const names = NAMES.map((field) => detail[field]);
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? null;
}

/** The first facts of an entry's detail in one line, without the name and ids. A changed value follows the former one. */
export function summaryOf(detail: JsonObject): string {
  const name = nameIn(detail);
  const facts = Object.entries(detail).filter(
    ([field, value]) =>
      value !== null &&
      !ID.test(field) &&
      !(NAMES.includes(field) && value === name) &&
      !(BEFORE.test(field) && field.replace(BEFORE, "") in detail),
  );
  const shown = facts.slice(0, FACTS_MAX).map(([field, value]) => {
    const before = detail[`${field}Before`];
    return `${field}: ${before === undefined ? "" : `${valueLabel(before)} → `}${valueLabel(value)}`;
  });
  return facts.length > FACTS_MAX ? `${shown.join(", ")}, …` : shown.join(", ");
}

function valueLabel(value: JsonValue): string {
  const label = typeof value === "string" ? value : JSON.stringify(value);
  return label.length > VALUE_MAX_CHARS ? `${label.slice(0, VALUE_MAX_CHARS)}…` : label;
}
