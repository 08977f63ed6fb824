import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";
import type { Written } from "./param-value.ts";

const { fields } = workflowForms;

/** A name and a value as they are typed. */
export interface Row {
  readonly name: string;
  readonly text: string;
}

/** An object as rows. While a name is typed, rows may have empty or duplicate names; an object cannot. */
export function toRows(object: JsonObject, written: Written): Row[] {
  return Object.entries(object).map(([name, value]) => ({ name, text: written.write(value) }));
}

/** Rows as an object. Rows without a name are left out; of rows with the same name the first counts. */
export function fromRows(rows: readonly Row[], written: Written): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const { name, text } of rows) {
    if (name !== "" && !entries.has(name)) entries.set(name, written.read(text) ?? "");
  }
  return Object.fromEntries(entries);
}

/** The problem of each row's name; null without one. */
export function rowProblems(rows: readonly Row[]): (string | null)[] {
  return rows.map(({ name, text }, index) => {
    if (name === "") return text === "" ? null : fields.noName;
    return rows.findIndex((row) => row.name === name) === index ? null : fields.usedName;
  });
}
