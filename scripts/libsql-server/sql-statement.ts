import { HranaError } from "./errors.ts";
import { refusalOf, writesByPragma } from "./refused-sql.ts";
import { splitStatements, type Token } from "./sql-tokens.ts";

/** Facts about a statement that the server needs before SQLite gets it. */
export interface SqlStatement {
  sql: string;
  /** First word, in upper case; after WITH the word that follows the common tables. */
  verb: string;
  /** True when it takes SQLite's write lock, and so needs the writer gate. */
  writes: boolean;
  /**
   * True when it leaves only its transaction behind in the connection, so statement and connection can be used again.
   */
  reusable: boolean;
  /** libSQL's `BEGIN TRANSACTION READONLY`, which plain SQLite does not know. */
  beginsReadOnly: boolean;
  parameterCount: number;
  /** Named parameters, with their prefix, and their numbers from 1. */
  parameterNumbers: ReadonlyMap<string, number>;
  parameterPlaces: readonly { start: number; end: number; number: number }[];
}

const READING_VERBS = new Set(["SELECT", "VALUES", "EXPLAIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);
const WRITING_VERBS = new Set(["INSERT", "UPDATE", "DELETE", "REPLACE"]);
const MAX_PARAMETERS = 32_766;
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 10_000;
const known = new Map<string, SqlStatement>();

/** Reads the one statement in `sql`. Throws `SQL_NO_STATEMENT`, `SQL_MANY_STATEMENTS` or, if refused, `BLOCKED`. */
export function readStatement(sql: string): SqlStatement {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const [tokens, ...more] = splitStatements(sql);
  if (tokens === undefined) throw new HranaError("SQL_NO_STATEMENT", "The SQL text does not contain a statement");
  if (more.length > 0) {
    throw new HranaError("SQL_MANY_STATEMENTS", "The SQL text contains more than one statement; send a sequence");
  }
  const refusal = refusalOf(tokens);
  if (refusal !== undefined) throw new HranaError("BLOCKED", refusal);
  const statement = describeTokens(sql, tokens);
  if (sql.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(sql, statement);
  }
  return statement;
}

/** The single statements of a sequence, as texts. */
export function splitSequence(sql: string): string[] {
  return splitStatements(sql).map((tokens) => sql.slice(tokens[0]?.start, tokens.at(-1)?.end));
}

function describeTokens(sql: string, tokens: Token[]): SqlStatement {
  const verb = verbOf(tokens);
  const isTransaction = verb === "BEGIN" && tokens.length <= 3;
  return {
    sql,
    verb,
    writes: writes(verb, tokens),
    reusable: READING_VERBS.has(verb) || WRITING_VERBS.has(verb) || isTransaction,
    beginsReadOnly: isTransaction && tokens.at(-1)?.text === "READONLY",
    ...parameters(tokens),
  };
}

function verbOf(tokens: Token[]): string {
  const first = tokens[0]?.text ?? "";
  if (first !== "WITH") return first;
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === "(") depth++;
    else if (token.text === ")") depth--;
    else if (depth === 0 && tokens[index - 1]?.text === ")" && isMainVerb(token.text)) return token.text;
  }
  return first;
}

function isMainVerb(word: string): boolean {
  return WRITING_VERBS.has(word) || word === "SELECT" || word === "VALUES";
}

/**
 * Errs on the safe side: a reader that counts as a writer only waits; a writer that counts as a reader would block
 * every client.
 */
function writes(verb: string, tokens: Token[]): boolean {
  if (READING_VERBS.has(verb)) return false;
  if (verb === "BEGIN") return tokens.some(({ text }) => text === "IMMEDIATE" || text === "EXCLUSIVE");
  if (verb === "PRAGMA") return writesByPragma(tokens);
  return true;
}

/** Numbers parameters as SQLite does: `?` takes the next number, `?N` is N, a name keeps the number of its first use. */
function parameters(tokens: Token[]): Pick<SqlStatement, "parameterCount" | "parameterNumbers" | "parameterPlaces"> {
  const parameterNumbers = new Map<string, number>();
  const parameterPlaces: { start: number; end: number; number: number }[] = [];
  let parameterCount = 0;
  for (const { kind, text, start, end } of tokens) {
    if (kind !== "parameter") continue;
    let number = text === "?" ? parameterCount + 1 : parameterNumbers.get(text);
    if (number === undefined) {
      number = text.startsWith("?") ? Number(text.slice(1)) : parameterCount + 1;
      parameterNumbers.set(text, number);
    }
    parameterCount = Math.max(parameterCount, number);
    parameterPlaces.push({ start, end, number });
  }
  if (parameterCount > MAX_PARAMETERS) {
    throw new HranaError("SQL_INPUT_ERROR", `A statement has at most ${MAX_PARAMETERS} parameters`);
  }
  return { parameterCount, parameterNumbers, parameterPlaces };
}
