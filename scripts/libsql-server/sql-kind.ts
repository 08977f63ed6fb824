import { HranaError } from "./errors.ts";

/**
 * `setting`: not known to leave only a transaction behind in its connection. EXPLAIN is one too: its second run with
 * bun:sqlite leaves a read transaction open.
 */
export type SqlKind = "data" | "transaction" | "setting";

const DATA = new Set(["SELECT", "VALUES", "WITH", "INSERT", "REPLACE", "UPDATE", "DELETE"]);
const TRANSACTION = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);
const REFUSED = new Set(["ATTACH", "DETACH", "VACUUM"]);
/** PRAGMAs that read, or that change only their own connection. Durability depends on others. */
const PRAGMAS = new Set(
  `defer_foreign_keys foreign_key_check foreign_key_list foreign_keys index_info index_list integrity_check quick_check
   table_info table_list table_xinfo`
    .toUpperCase()
    .split(/\s+/u),
);

const BLANK = /\s+|;|--[^\n]*|\/\*[^]*?(?:\*\/|$)/uy;
const WORD = /\w+/uy;

/**
 * The kind of the first statement in `sql`, by its first words. Throws `BLOCKED` for a statement that reaches other
 * files or would break this server's guarantees.
 */
export function kindOf(sql: string): SqlKind {
  const [first = "", ...next] = firstWords(sql);
  if (REFUSED.has(first)) throw blocked(first);
  if (first === "PRAGMA" && !PRAGMAS.has(next[0] ?? "")) throw blocked(`PRAGMA ${next[0]?.toLowerCase() ?? ""}`);
  // SQLite applies some settings while it explains them.
  if (first === "EXPLAIN" && next.find((word) => word !== "QUERY" && word !== "PLAN") === "PRAGMA") {
    throw blocked("EXPLAIN PRAGMA");
  }
  if (DATA.has(first)) return "data";
  return TRANSACTION.has(first) ? "transaction" : "setting";
}

/** Whether `sql` has only spaces, comments and semicolons. */
export function isBlank(sql: string): boolean {
  return skipBlank(sql, 0) === sql.length;
}

/** In upper case; enough of them for `EXPLAIN QUERY PLAN PRAGMA`. */
function firstWords(sql: string): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < 4) {
    WORD.lastIndex = skipBlank(sql, at);
    const [word] = WORD.exec(sql) ?? [];
    if (word === undefined) break;
    words.push(word.toUpperCase());
    at = WORD.lastIndex;
  }
  return words;
}

/** Piece by piece: one expression for all of them would try every way to divide a row of comments. */
function skipBlank(sql: string, from: number): number {
  let at = from;
  BLANK.lastIndex = from;
  while (BLANK.test(sql)) at = BLANK.lastIndex;
  return at;
}

function blocked(what: string): HranaError {
  return new HranaError("BLOCKED", `${what} is not supported: this server has one file, with fixed settings`);
}
