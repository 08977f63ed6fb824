import { ExecutorFailure } from "../../shared/failures.ts";
import { firstWord } from "../first-word.ts";

const NOTHING = /^(?:[\s;]|--[^\n]*(?:\n|$)|\/\*[\s\S]*?(?:\*\/|$))+/u;

/**
 * Refuses statements that open or write other files, because a connection is for one file. They cannot be part of
 * another statement, so their first word identifies them.
 */
export function checkText(text: string): void {
  const word = firstWord(text, { executableComments: false });
  const forbidden = word === "ATTACH" || word === "DETACH" || (word === "VACUUM" && /\bINTO\b/iu.test(text));
  if (!forbidden) return;
  const message = `${word === "VACUUM" ? "VACUUM INTO" : word} is refused, because it can reach other files than the connection's. Make a connection for each file.`;
  throw new ExecutorFailure("query_failed", message);
}

/** The text after the first statement, without blanks and comments. `first` is that statement as SQLite parsed it. */
export function restBehind(text: string, first: string): string {
  return text.slice(first.length).replace(NOTHING, "");
}
