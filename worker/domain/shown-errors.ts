import type { FieldError } from "../../schema/contract/problem.ts";

/** An answer must not be many times what was sent: so many problems are told, in so many characters each. */
export const SHOWN_ERRORS = 100;
const SHOWN_CHARS = 500;
const SHOWN_NAMES = 10;
const REST = /^and (\d+) more$/u;

/** As many problems as an answer holds, cut to what a person reads, and behind them how many more there are. */
export function shownErrors(errors: readonly FieldError[]): FieldError[] {
  const told = errors.filter((error) => restOf(error) === 0);
  const shown = told.slice(0, SHOWN_ERRORS).map((error) => ({
    ...error,
    path: shorten(error.path, SHOWN_CHARS),
    message: shorten(error.message, SHOWN_CHARS),
  }));
  return [...shown, ...rest(countErrors(errors) - shown.length)];
}

/** How many problems these are, those included that are not told. */
export function countErrors(errors: readonly FieldError[]): number {
  return errors.reduce((sum, error) => sum + (restOf(error) || 1), 0);
}

/** The first of many causes as problems, and how many more there are: so that a million do not become a million. */
export function firstErrors<T>(causes: readonly T[], toErrors: (cause: T) => readonly FieldError[]): FieldError[] {
  return [...causes.slice(0, SHOWN_ERRORS).flatMap(toErrors), ...rest(causes.length - SHOWN_ERRORS)];
}

/** Each problem once. How many more there are is no problem itself: it may be as many in several places. */
export function distinctErrors(errors: readonly FieldError[]): FieldError[] {
  const known = new Set<string>();
  return errors.filter((error) => {
    const key = `${error.path}\n${error.message}`;
    if (restOf(error) > 0) return true;
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

/** The first ten names in a sentence, and `others` where there are more. */
export function firstNames(names: readonly string[]): string {
  return [...names.slice(0, SHOWN_NAMES), ...(names.length > SHOWN_NAMES ? ["others"] : [])].join(", ");
}

/** A text of at most so many characters. */
export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}

function rest(count: number): FieldError[] {
  return count > 0 ? [{ path: "", message: `and ${count} more` }] : [];
}

/** How many problems that are not told an entry stands for; 0 for a problem itself. */
function restOf({ message }: FieldError): number {
  return Number(REST.exec(message)?.[1] ?? 0);
}
