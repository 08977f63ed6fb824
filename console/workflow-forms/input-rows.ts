import type { Trigger } from "../../schema/contract/workflow.ts";
import { workflowForms } from "../strings/en/workflow-forms.ts";

export type Inputs = NonNullable<Extract<Trigger, { type: "manual" }>["inputs"]>;

export interface InputRow {
  readonly name: string;
  readonly input: Inputs[string];
}

export const INPUT_TYPES = ["string", "number", "boolean", "object", "array"] as const;

export function isInputType(type: string): type is (typeof INPUT_TYPES)[number] {
  return INPUT_TYPES.some((known) => known === type);
}

/** Inputs as rows. While a name is typed, rows may have empty or duplicate names. */
export function toInputRows(inputs: Inputs): InputRow[] {
  return Object.entries(inputs).map(([name, input]) => ({ name, input }));
}

export function fromInputRows(rows: readonly InputRow[]): Inputs {
  const inputs = new Map<string, Inputs[string]>();
  for (const { name, input } of rows) if (name !== "" && !inputs.has(name)) inputs.set(name, input);
  return Object.fromEntries(inputs);
}

/** The problem of a row's name; null without one. */
export function inputNameProblem(rows: readonly InputRow[], index: number): string | null {
  const name = rows[index]?.name ?? "";
  if (name === "") return workflowForms.fields.noName;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,63}$/u.test(name)) return workflowForms.inputs.wrongName;
  return rows.findIndex((row) => row.name === name) === index ? null : workflowForms.fields.usedName;
}
