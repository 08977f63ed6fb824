/** Structured lines for the platform's log. Fields are ids and messages, never a secret (invariant 6). */
type Fields = Readonly<Record<string, string | number | boolean | null>>;

export function logWarning(message: string, fields: Fields): void {
  console.warn(line("WARNING", message, fields));
}

export function logError(message: string, fields: Fields): void {
  console.error(line("ERROR", message, fields));
}

function line(level: string, message: string, fields: Fields): string {
  return JSON.stringify({ level, message, ...fields }, (_key, value: unknown) =>
    typeof value === "string" ? withoutParameters(value) : value,
  );
}

/** A failed query's error goes on with the values of its parameters, which may be anybody's data. */
function withoutParameters(text: string): string {
  return text.split("\nparams:")[0] ?? "";
}
