import { ExecutorFailure } from "../../shared/failures.ts";
import { firstWord } from "../first-word.ts";

const NOTHING = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))+/u;

/**
 * A connection is for its one file: what opens or writes another one, wherever the account of jobs may, is refused.
 * These are statements of their own, which nothing else can contain, so their first word is enough to know them.
 */
export function checkText(text: string): void {
  const word = firstWord(text, { executableComments: false });
  const forbidden = word === "ATTACH" || word === "DETACH" || (word === "VACUUM" && /\bINTO\b/iu.test(text));
  if (!forbidden) return;
  const message = `${word === "VACUUM" ? "VACUUM INTO" : word} reaches files beside the connection's own, and is refused. Make a connection for each file.`;
  throw new ExecutorFailure("query_failed", message);
}

/** What stands behind the first statement, but for blanks and comments. `first` is that statement as SQLite read it. */
export function restBehind(text: string, first: string): string {
  return text.slice(first.length).replace(NOTHING, "");
}
