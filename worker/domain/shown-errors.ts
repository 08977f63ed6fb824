import type { FieldError } from "../../schema/contract/problem.ts";

/** Bounds on the number and length of reported problems, so that an answer is not many times the request. */
export const SHOWN_ERRORS = 100;
const SHOWN_CHARS = 500;
const SHOWN_NAMES = 10;
const REST = /^and (\d+) more$/u;

/** As many problems as an answer holds, each cut to a readable length, and then the number of the others. */
export function shownErrors(errors: readonly FieldError[]): FieldError[] {
  const first = errors.filter((error) => restOf(error) === 0);
  const shown = first.slice(0, SHOWN_ERRORS).map((error) => ({
    ...error,
    path: shorten(error.path, SHOWN_CHARS),
    message: shorten(error.message, SHOWN_CHARS),
  }));
  return [...shown, ...rest(countErrors(errors) - shown.length)];
}

/** The number of all problems, including those that are not shown. */
export function countErrors(errors: readonly FieldError[]): number {
  return errors.reduce((sum, error) => sum + (restOf(error) || 1), 0);
}

/** The problems of the first causes, and the number of the others: a million causes must not fill the answer. */
export function firstErrors<T>(causes: readonly T[], toErrors: (cause: T) => readonly FieldError[]): FieldError[] {
  return [...causes.slice(0, SHOWN_ERRORS).flatMap(toErrors), ...rest(causes.length - SHOWN_ERRORS)];
}

/** Each problem once. A number of others is kept each time: the same number may come from several places. */
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

/** The first ten names in a sentence, and `others` for the rest. */
export function firstNames(names: readonly string[]): string {
  return [...names.slice(0, SHOWN_NAMES), ...(names.length > SHOWN_NAMES ? ["others"] : [])].join(", ");
}

export function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}

function rest(count: number): FieldError[] {
  return count > 0 ? [{ path: "", message: `and ${count} more` }] : [];
}

/** The number of hidden problems that an entry counts; 0 for a problem itself. */
function restOf({ message }: FieldError): number {
  return Number(REST.exec(message)?.[1] ?? 0);
}
