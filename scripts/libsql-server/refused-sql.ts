import type { Token } from "./sql-tokens.ts";

/** PRAGMAs that only read. */
const READING = new Set(
  `application_id collation_list compile_options data_version database_list encoding foreign_key_check foreign_key_list
   freelist_count function_list index_info index_list index_xinfo integrity_check module_list page_count page_size
   pragma_list quick_check table_info table_list table_xinfo`
    .toUpperCase()
    .split(/\s+/),
);

/** PRAGMAs that change only their own connection, which is then not used again. */
const CONNECTION_SETTINGS = new Set(
  `analysis_limit cache_size case_sensitive_like defer_foreign_keys foreign_keys ignore_check_constraints
   legacy_alter_table recursive_triggers reverse_unordered_selects`
    .toUpperCase()
    .split(/\s+/),
);

/** PRAGMAs that write into the file. */
const WRITING = new Set(["APPLICATION_ID", "OPTIMIZE", "USER_VERSION", "WAL_CHECKPOINT"]);

/** Settings on which durability and the gate depend: they may be read, not set. */
const READ_ONLY = new Set(["BUSY_TIMEOUT", "JOURNAL_MODE", "SCHEMA_VERSION", "SYNCHRONOUS", "WAL_AUTOCHECKPOINT"]);

/**
 * Why a statement is refused: it reaches other files, or it would break this server's guarantees to other clients.
 * Undefined when it may run.
 */
export function refusalOf(tokens: Token[]): string | undefined {
  const verb = tokens[0]?.text;
  if (verb === "EXPLAIN" && tokens[1]?.text === "PRAGMA") {
    return "EXPLAIN PRAGMA is not supported: SQLite applies some settings while it explains them";
  }
  if (verb === "ATTACH" || verb === "DETACH") return `${verb} is not supported: this server serves one database file`;
  if (verb === "VACUUM" && tokens.some(({ text }) => text === "INTO")) {
    return "VACUUM INTO is not supported: it would write a file on the server";
  }
  if (verb !== "PRAGMA") return undefined;
  const { name, takesValue } = readPragma(tokens);
  if (READING.has(name) || CONNECTION_SETTINGS.has(name) || WRITING.has(name)) return undefined;
  if (READ_ONLY.has(name)) {
    return takesValue ? `PRAGMA ${name.toLowerCase()} can be read here, but not set` : undefined;
  }
  return `PRAGMA ${name.toLowerCase()} is not supported by this server`;
}

export function writesByPragma(tokens: Token[]): boolean {
  return WRITING.has(readPragma(tokens).name);
}

/** `PRAGMA [schema.]name [= value | (value)]` */
function readPragma(tokens: Token[]): { name: string; takesValue: boolean } {
  const nameIndex = tokens[2]?.text === "." ? 3 : 1;
  return { name: tokens[nameIndex]?.text ?? "", takesValue: tokens.length > nameIndex + 1 };
}
