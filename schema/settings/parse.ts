import type { Parsed } from "./setting.ts";

/** LOG_LEVEL of service and agent, from the most to the least verbose. */
export const LOG_LEVELS = ["DEBUG", "INFO", "WARNING", "ERROR"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_LEVEL_DEFAULT: LogLevel = "INFO";

export type Parse<T> = (text: string) => Parsed<T>;

export const anyText: Parse<string> = (text) => ({ value: text });

/** The value, or the problem for a missing value. */
export function valid<T extends NonNullable<unknown>>(value: T | null | undefined, problem: string): Parsed<T> {
  return value === null || value === undefined ? { problem } : { value };
}

/** Text that matches this form. */
export function textLike(form: RegExp, problem: string): Parse<string> {
  return (text) => valid(form.test(text) ? text : null, problem);
}

/** The key that releases of the agent are signed with. */
export const releaseKey = textLike(
  /^[A-Za-z0-9+/]{43}=$/u,
  "must be the base64 of an Ed25519 public key's 32 bytes: set it to what the build printed, or remove it",
);

/** One of these words, in any case. */
export function oneOf<W extends string>(words: readonly W[]): Parse<W> {
  return (text) =>
    valid(
      words.find((known) => known.toLowerCase() === text.toLowerCase()),
      `must be one of ${words.join(", ")}`,
    );
}

export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,6}$/u.test(text) ? Number(text) : Number.NaN;
    return valid(value >= min && value <= max ? value : null, `must be a whole number from ${min} to ${max}`);
  };
}

/** Exactly `true` or `false`. */
export const trueOrFalse: Parse<boolean> = (text) =>
  text === "true" || text === "false" ? { value: text === "true" } : { problem: "must be true or false" };

const SHOWN_MAX_CHARS = 64;

/** Repeats the refused text in the error: never for secrets, nor where a public page shows the error. */
export function showing<T>(parse: Parse<T>): Parse<T> {
  return (text) => {
    const parsed = parse(text);
    if ("value" in parsed) return parsed;
    const shown = text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text;
    return { problem: `${parsed.problem}, not ${JSON.stringify(shown)}` };
  };
}
