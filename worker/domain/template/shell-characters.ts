export const ENDS_WORD = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">", ""]);
export const USE_DOUBLE_QUOTES = "use double quotes instead, or end the single quotes before it";
const BUILD_JSON =
  "have jq build the JSON, so that the value stays one text (jq -n --arg text {{…}} '{text: $text}'), and use what it prints";

/** What to write instead of single quotes: in double quotes a value with a quote in it would go on as JSON. */
export function insteadOf(text: string): string {
  return /^\s*(?:\{\s*"|\[\s*[{"\0])/u.test(text) ? BUILD_JSON : USE_DOUBLE_QUOTES;
}

/** Whether a character that ends words goes on with a regular expression in which brackets are open. */
export function isPartOfRegex(char: string, open: number): boolean {
  if (char === "(" || char === "|") return true;
  return open > 0 && char !== "" && char !== "\n" && ENDS_WORD.has(char);
}

/** Whether the line before this place ends in a backslash that continues it. */
export function followsContinuation(source: string, at: number): boolean {
  if (source[at - 1] !== "\n") return false;
  let backslashes = 0;
  while (source[at - 2 - backslashes] === "\\") backslashes += 1;
  return backslashes % 2 === 1;
}
