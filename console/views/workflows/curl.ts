import type { JsonValue } from "../../../schema/contract/json.ts";

/** Stands for the secret where it is not known any more. */
export const SECRET_PLACEHOLDER = "YOUR_WEBHOOK_SECRET";

/** A command that rings a webhook, to be pasted into a POSIX shell. */
export function webhookCurl({ url, secret, body }: { url: string; secret: string | null; body: JsonValue }): string {
  return [
    `curl -sS -X POST ${quoted(url)}`,
    `-H ${quoted(`Authorization: Bearer ${secret ?? SECRET_PLACEHOLDER}`)}`,
    `-H ${quoted("Content-Type: application/json")}`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n  ");
}

/** Inside single quotes a shell takes nothing for its own but the quote itself. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
