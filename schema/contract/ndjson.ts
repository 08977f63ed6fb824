/** The content type of JSON texts of which each is a line. */
export const NDJSON = "application/x-ndjson";

/** The lines of these values. JSON text has no raw line breaks. */
export function toLines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}
