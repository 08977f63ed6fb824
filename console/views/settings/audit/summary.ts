import { AUDIT_SUBJECT_TYPES, AUDIT_VERBS } from "../../../../schema/contract/audit-labels.ts";
import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { AuditEntryView } from "../../../../schema/contract/people.ts";
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

type Entry = Pick<AuditEntryView, "subjectId" | "detail" | "names">;

/** The name of an entry's subject at that time; for an execution the name of its workflow; null without a name. */
export function nameOf({ subjectId, detail, names }: Entry): string | null {
  const then = NAMES.map((field) => detail[field]).find((name) => typeof name === "string" && name !== "");
  return typeof then === "string" ? then : (names[subjectId] ?? nameBy(names, detail["workflowId"]) ?? null);
}

/**
 * The first facts of an entry's detail in one line, without the subject's name, and with names in place of ids. A changed
 * value follows the former one.
 */
export function summaryOf(entry: Entry): string {
  const { detail, names } = entry;
  const name = nameOf(entry);
  const facts = Object.entries(detail).flatMap(([field, value]): [string, JsonValue][] => {
    if (value === null || (BEFORE.test(field) && field.replace(BEFORE, "") in detail)) return [];
    if (!ID.test(field)) return NAMES.includes(field) && value === name ? [] : [[field, value]];
    const named = nameBy(names, value);
    return named === undefined || named === name ? [] : [[field.replace(ID, ""), named]];
  });
  const shown = facts.slice(0, FACTS_MAX).map(([field, value]) => {
    const before = detail[`${field}Before`];
    return `${field}: ${before === undefined ? "" : `${valueLabel(before)} → `}${valueLabel(value)}`;
  });
  return facts.length > FACTS_MAX ? `${shown.join(", ")}, …` : shown.join(", ");
}

function nameBy(names: Entry["names"], id: JsonValue | undefined): string | undefined {
  return typeof id === "string" ? names[id] : undefined;
}

function valueLabel(value: JsonValue): string {
  const label = typeof value === "string" ? value : JSON.stringify(value);
  return label.length > VALUE_MAX_CHARS ? `${label.slice(0, VALUE_MAX_CHARS)}…` : label;
}
