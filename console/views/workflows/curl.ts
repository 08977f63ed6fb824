import type { JsonValue } from "../../../schema/contract/json.ts";

/** Replaces the secret when it is no longer known. */
export const SECRET_PLACEHOLDER = "YOUR_WEBHOOK_SECRET";

/** A command for a POSIX shell that calls a webhook. */
export function webhookCurl({ url, secret, body }: { url: string; secret: string | null; body: JsonValue }): string {
  return [
    `curl -sS -X POST ${quoted(url)}`,
    `-H ${quoted(`Authorization: Bearer ${secret ?? SECRET_PLACEHOLDER}`)}`,
    `-H ${quoted("Content-Type: application/json")}`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

/** Inside single quotes, only the quote itself is special to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
