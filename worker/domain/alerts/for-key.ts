import { toPlainText } from "../../../schema/contract/name.ts";
import { shortened } from "./line.ts";

const KEY_MAX_CHARS = 80;

/** What a run is about, at the end of a subject: a key comes from outside. */
export function forKey(key: string | null): string {
  const text = toPlainText(key ?? "");
  return text === "" ? "" : ` for ${shortened(text, KEY_MAX_CHARS)}`;
}
