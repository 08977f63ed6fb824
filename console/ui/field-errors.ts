import { useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { common } from "../strings/en/common.ts";

interface FieldErrors {
  /** The service's errors about a field and its parts, as sentences; null without any. */
  of: (path: string) => string | null;
  /** The error, unless it is only about fields of the form, which show it. */
  rest: unknown;
}

/**
 * The errors of a form's fields, by the path and value of each field. An error is shown until its field is changed.
 * `about`: when it changes, the fields mean something else and no error applies.
 */
export function useFieldErrors(error: unknown, values: Readonly<Record<string, unknown>>, about?: string): FieldErrors {
  const [sent, setSent] = useState({ error, values, about });
  if (sent.error !== error) setSent({ error, values, about });
  const paths = Object.keys(values);
  const found = error instanceof ApiProblem ? error.errors : [];
  const sentPaths = Object.keys(sent.values);
  const isOurs = found.length > 0 && found.every((one) => fieldOf(one.path, sentPaths) !== undefined);
  const of = (path: string) => {
    const field = fieldOf(path, paths) ?? path;
    if (sent.about !== about || !isSame(sent.values[field], values[field])) return null;
    const messages = found.filter((one) => isOf(one.path, path)).map(({ message }) => sentence(message, values[field]));
    return messages.length === 0 ? null : [...new Set(messages)].join(" ");
  };
  return { of, rest: isOurs ? null : error };
}

function fieldOf(path: string, fields: readonly string[]): string | undefined {
  return fields.find((field) => isOf(path, field));
}

function isOf(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** To a person, an empty field is a missing one: its error does not describe a value. */
function sentence(message: string, value: unknown): string {
  const isPlain = message === "is required" || message === "must not be empty";
  if (isPlain || (isEmpty(value) && !message.startsWith("is required"))) return common.required;
  const text = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
  return /[.!?]$/u.test(text) ? text : `${text}.`;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "string" ? value.trim() === "" : Array.isArray(value) && value.length === 0;
}
