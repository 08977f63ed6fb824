import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Written } from "./param-value.ts";

/** A name and a value, each as it is typed. */
export interface Row {
  readonly name: string;
  readonly text: string;
}

/** An object as rows. What an object cannot hold while it is typed, an empty or a doubled name, only rows do. */
export function toRows(object: JsonObject, written: Written): Row[] {
  return Object.entries(object).map(([name, value]) => ({ name, text: written.write(value) }));
}

/** Rows as an object: those without a name are left out, and of two of one name the first counts. */
export function fromRows(rows: readonly Row[], written: Written): JsonObject {
  const entries = new Map<string, JsonValue>();
  for (const { name, text } of rows) {
    if (name !== "" && !entries.has(name)) entries.set(name, written.read(text) ?? "");
  }
  return Object.fromEntries(entries);
}

/** What is wrong with the rows' names, by row. */
export function rowProblems(rows: readonly Row[]): (string | null)[] {
  return rows.map(({ name, text }, index) => {
    if (name === "") return text === "" ? null : "Give it a name, or it is left out.";
    return rows.findIndex((row) => row.name === name) === index ? null : "There is this name above already.";
  });
}
