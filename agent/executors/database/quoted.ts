import { quoted as quotedWhole } from "../shared/quoted.ts";

/** What a server says, as in every other message, without its final stop: sentences go on behind it. */
export function quoted(text: string, secrets: readonly string[]): string {
  return quotedWhole(text.trimEnd().replace(/\.$/u, ""), secrets);
}
