import type { NotificationSettings } from "../notification-settings.ts";

const MASK = "***";
const MIN_CHARS = 4;
/** What is kept of anything that another side said. */
const DETAIL_MAX_BYTES = 2_000;

/** What makes a text fit to be shown: without the channels' secrets in any form that they travel in, and not too long. */
export type Mask = (text: string) => string;

export function createMask({ secrets }: NotificationSettings): Mask {
  const forms = [...new Set(secrets.flatMap(formsOf))]
    .filter((form) => form.length >= MIN_CHARS)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let masked = text;
    for (const form of forms) masked = masked.replaceAll(form, MASK);
    const line = masked
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim()
      .toWellFormed();
    const { read } = new TextEncoder().encodeInto(line, new Uint8Array(DETAIL_MAX_BYTES));
    return read === line.length ? line : `${line.slice(0, read)}…`;
  };
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret), Buffer.from(secret, "utf8").toString("base64")];
}
