import { ApiProblem } from "../api/problem.ts";

/** The service's errors about one field of a form and its parts, as sentences; undefined when there are none. */
export function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const messages = error.errors.filter((one) => isOf(one.path, path)).map(({ message }) => sentence(message));
  return messages.length === 0 ? undefined : messages.join(" ");
}

/** Whether all errors of a refusal are about these fields, which show their own errors. */
export function isAboutFields(error: unknown, paths: readonly string[]): boolean {
  if (!(error instanceof ApiProblem) || error.errors.length === 0) return false;
  return error.errors.every((one) => paths.some((path) => isOf(one.path, path)));
}

function isOf(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

function sentence(message: string): string {
  const text = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}
