import type { JsonValue } from "../../../schema/contract/json.ts";
import { cutText } from "./cut.ts";

const QUOTE_MAX_BYTES = 500;

/** A peer's text for a message: on one line, at most 500 bytes, and none of `secrets` cut in two. */
export function quoted(value: JsonValue | undefined, secrets: readonly string[]): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  // oxlint-disable-next-line no-control-regex
  const line = text.replaceAll(/[\u0000-\u0020\u007f]+/gu, " ").trim();
  const cut = cutText(line, QUOTE_MAX_BYTES, secrets);
  return cut.droppedBytes > 0 ? `${cut.text}…` : cut.text;
}

/** The same without its final full stop, for use inside a sentence. */
export function quotedWithin(text: string, secrets: readonly string[]): string {
  return quoted(text.trimEnd().replace(/\.$/u, ""), secrets);
}
