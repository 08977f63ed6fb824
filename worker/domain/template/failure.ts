import type { Failure } from "../../../schema/contract/problem.ts";

/**
 * The reason why a value cannot go in its template's place: it is empty and `required`, does not fit its filter, is not
 * a plain word in code, or is too large for a variable or a key.
 */
type Code =
  | "empty_value"
  | "invalid_value"
  | "unsafe_value"
  | "value_not_representable"
  | "value_too_large"
  | "key_too_long"
  | "values_too_large";

/** Caught where a node begins; the node then fails before a job exists. */
export class TemplateFailure extends Error {
  readonly failure: Failure;

  constructor(code: Code, message: string) {
    super(message);
    this.name = "TemplateFailure";
    this.failure = { code, message };
  }
}
