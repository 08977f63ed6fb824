import type { z } from "zod";
import type { FieldError } from "../../schema/contract/problem.ts";
import { countErrors, firstErrors, shownErrors } from "../domain/shown-errors.ts";
import { issueErrors } from "../domain/issue-messages.ts";
import { ProblemError } from "./problem.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";

export type Checked<T> = { ok: true; data: T } | { ok: false; errors: FieldError[] };

/** The input, parsed by its schema. Throws `invalid_request` with every problem and its path. */
export function parseInput<T>(schema: z.ZodType<T>, input: unknown): T {
  const checked = checkInput(schema, input);
  if (!checked.ok) throw invalidInput(checked.errors);
  return checked.data;
}

/** The same without throwing, for verbs that check more. `prefix` precedes every path. */
export function checkInput<T>(schema: z.ZodType<T>, input: unknown, prefix: readonly PropertyKey[] = []): Checked<T> {
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return { ok: true, data: parsed.data };
  return {
    ok: false,
    errors: firstErrors(parsed.error.issues, (issue) => issueErrors(issue, { prefix, schema, input })),
  };
}

export function invalidInput(errors: readonly FieldError[]): ProblemError {
  const count = countErrors(errors);
  const many = count === 1 ? "One thing is" : `${count} things are`;
  const detail = `${many} wrong with the request: see errors.`;
  return new ProblemError("invalid_request", detail, { errors: shownErrors(errors) });
}

/** The fields of a body, unchecked; none when the body is not an object. */
export function partsOf(input: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(input) ? input : {};
}
