import { cutToBytes } from "./cut-to-bytes.ts";
import type { NotificationSettings } from "../notification-settings.ts";

const MASK = "***";
const MIN_CHARS = 4;
/** Longer texts from another side are cut. */
const DETAIL_MAX_BYTES = 2_000;

/** Makes a text fit to be shown: removes the channels' secrets in every form in which they travel, and cuts it. */
export type Mask = (text: string) => string;

export function createMask({ secrets }: Pick<NotificationSettings, "secrets">): Mask {
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
    return cutToBytes(line, DETAIL_MAX_BYTES);
  };
}

function formsOf(secret: string): string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  return [secret, escaped, encodeURIComponent(secret), Buffer.from(secret, "utf8").toString("base64")];
}
