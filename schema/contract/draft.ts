import { workflowInputSchema } from "./management.ts";
import type { WorkflowInput } from "./management.ts";

/** A draft as rows and answers hold it: every field, null for a field that the workflow does not have. */
export type StoredDraft = { [Field in keyof WorkflowInput]-?: Exclude<WorkflowInput[Field], undefined> };

/** The draft of a row or an answer, as it is sent to be saved: its fields in the contract's order, without nulls. */
export function draftOf(stored: StoredDraft): WorkflowInput {
  return pick(stored, (value) => (value === null ? undefined : value));
}

/** The other way around. Takes a row, too, and leaves the row's other columns out. */
export function storedDraft(draft: WorkflowInput): StoredDraft {
  return pick(draft, (value) => value ?? null);
}

/** The draft without optional fields that hold nothing: a missing description and an empty one mean the same. */
export function withoutEmptyFields(draft: WorkflowInput): Partial<WorkflowInput> {
  return pick(draft, (value, isOptional) => (isOptional && isEmpty(value) ? undefined : value));
}

const FIELDS = Object.entries(workflowInputSchema.shape).map(([name, schema]) => ({
  name,
  isOptional: schema.safeParse(undefined).success,
}));

/** The one list of fields is the schema's, so the fields' types are known to the callers alone. */
// oxlint-disable-next-line typescript/no-explicit-any
function pick(draft: object, show: (value: unknown, isOptional: boolean) => unknown): any {
  const fields = FIELDS.map(({ name, isOptional }) => [name, show(Reflect.get(draft, name), isOptional)] as const);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}
