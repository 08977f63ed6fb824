import type { Failure } from "../../../schema/contract/problem.ts";

/**
 * Why a value cannot go where its template is: it is empty where `required` asks for one, does not fit its filter, is not a
 * plain word in code, or is more than a variable can carry.
 */
type Code =
  | "empty_value"
  | "invalid_value"
  | "unsafe_value"
  | "value_not_representable"
  | "value_too_large"
  | "values_too_large";

/** Caught where a node begins, which then fails before a job exists. */
export class TemplateFailure extends Error {
  readonly failure: Failure;

  constructor(code: Code, message: string) {
    super(message);
    this.name = "TemplateFailure";
    this.failure = { code, message };
  }
}
