const QUOTE_MAX_CHARS = 500;

/** What a server says, short enough and on one line, without its final stop. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim().replace(/\.$/u, "");
  return line.length <= QUOTE_MAX_CHARS ? line : `${line.slice(0, QUOTE_MAX_CHARS)} …`.toWellFormed();
}
