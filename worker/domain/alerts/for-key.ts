import { toPlainText } from "../../../schema/contract/name.ts";

const KEY_MAX_CHARS = 80;

/** What a run is about, at the end of a subject: a key comes from outside. */
export function forKey(key: string | null): string {
  const text = toPlainText(key ?? "");
  if (text === "") return "";
  return ` for ${text.length <= KEY_MAX_CHARS ? text : `${text.slice(0, KEY_MAX_CHARS - 1).toWellFormed()}…`}`;
}
