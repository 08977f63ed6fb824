/**
 * The first word of a statement in capitals, after blanks, comments and opening parentheses; empty when there is none.
 * MySQL runs the content of comments that begin with `/*!` or `/*M!`: with `executableComments` they do not count as
 * comments.
 */
export function firstWord(sql: string, { executableComments }: { executableComments: boolean }): string {
  const rest = sql.replace(executableComments ? MYSQL_LEAD : LEAD, "");
  return /^[A-Za-z]+/u.exec(rest)?.[0].toUpperCase() ?? "";
}

const MYSQL_LEAD = /^(?:[\s(;]|--[^\n]*(?:\n|$)|#[^\n]*(?:\n|$)|\/\*(?!M?!)[\s\S]*?\*\/)+/u;
const LEAD = /^(?:[\s(;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/u;
