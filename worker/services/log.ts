/** Structured lines for the platform's log. Fields are ids and messages, never a secret (invariant 6). */
type Fields = Readonly<Record<string, string | number | boolean | null>>;

export function logWarning(message: string, fields: Fields): void {
  console.warn(JSON.stringify({ level: "WARNING", message, ...fields }));
}

export function logError(message: string, fields: Fields): void {
  console.error(JSON.stringify({ level: "ERROR", message, ...fields }));
}
