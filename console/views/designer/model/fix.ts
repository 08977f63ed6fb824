import type { JsonValue } from "../../../../schema/contract/json.ts";
import type { WorkflowInput } from "../../../../schema/contract/management.ts";
import type { Fix } from "../../../../schema/contract/problem.ts";

type Edit = Fix["edits"][number];

/** The draft with a fix applied from its last edit to its first; the same draft when a place of the fix is missing. */
export function applyFix(draft: WorkflowInput, { edits }: Fix): WorkflowInput {
  let fixed: JsonValue | null = JSON.parse(JSON.stringify(draft));
  for (const edit of edits.toReversed()) fixed = fixed === null ? null : edited(fixed, edit.path.split("."), edit);
  if (fixed === null) return draft;
  const copy: WorkflowInput = JSON.parse(JSON.stringify(fixed));
  return copy;
}

/** Null for a path that does not exist. Missing objects on the way to a new text are created. */
function edited(value: JsonValue | undefined, [name, ...rest]: readonly string[], edit: Edit): JsonValue | null {
  if (name === undefined) return textAfter(value, edit);
  if (Array.isArray(value)) {
    const member = Object.hasOwn(value, name) ? edited(value[Number(name)], rest, edit) : null;
    return member === null ? null : value.with(Number(name), member);
  }
  if ((typeof value !== "object" && value !== undefined) || value === null || name === "__proto__") return null;
  const member = edited(value !== undefined && Object.hasOwn(value, name) ? value[name] : undefined, rest, edit);
  return member === null ? null : { ...value, [name]: member };
}

function textAfter(present: JsonValue | undefined, { start, end, value }: Edit): string | null {
  if (start === undefined && end === undefined) return value;
  if (typeof present !== "string") return null;
  const [from, to] = [start ?? 0, end ?? present.length];
  return from <= to && to <= present.length ? present.slice(0, from) + value + present.slice(to) : null;
}
