import type { z } from "zod";

/** The problem of a target's field, for the person who wrote it: the end of a sentence about the field. */
export function targetIssueMessage(issue: z.core.$ZodIssue, entry: unknown): string {
  if (issue.code === "unrecognized_keys")
    return `must not have ${issue.keys.join(", ")}: a target of this type has no such field`;
  if (valueAt(entry, issue.path) === undefined) return "is missing";
  if (issue.code === "invalid_type") return `must be a ${issue.expected}`;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_union") return "is not a connection type that this version supports";
  return issue.message;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined),
    value,
  );
}
