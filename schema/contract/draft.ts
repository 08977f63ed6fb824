import { workflowInputSchema } from "./management.ts";
import type { WorkflowInput } from "./management.ts";
import { filtered, keysOf, nulled, pick } from "./records.ts";
import type { Nulled } from "./records.ts";

/** A draft in rows and answers: every field, null for a field without a value. */
export type StoredDraft = Nulled<WorkflowInput>;

type Field = keyof WorkflowInput;
type RequiredField = { [F in Field]: undefined extends WorkflowInput[F] ? never : F }[Field];

/** The schema has the one list of fields. */
const FIELDS = keysOf(workflowInputSchema.shape);
const REQUIRED = FIELDS.filter(
  (field): field is RequiredField => !workflowInputSchema.shape[field].safeParse(undefined).success,
);

/** The draft of a row or an answer, ready to be saved: its fields in the contract's order, without nulls. */
export function draftOf(stored: StoredDraft): WorkflowInput {
  return { ...filtered(pick(stored, FIELDS), (value) => value !== null), ...pick(stored, REQUIRED) };
}

/** The opposite of `draftOf`. Accepts a row, too, and drops the row's other columns. */
export function storedDraft(draft: WorkflowInput): StoredDraft {
  return nulled(pick(draft, FIELDS));
}

/** The draft without empty optional fields: a missing description and an empty one mean the same. */
export function withoutEmptyFields(draft: WorkflowInput): Partial<WorkflowInput> {
  const required: readonly Field[] = REQUIRED;
  return filtered(pick(draft, FIELDS), (value, field) => required.includes(field) || !isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
