import type { CodeLanguage } from "../../../schema/contract/action.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { SQL_VALUE_PREFIX, encodeSqlValue } from "../../../schema/contract/sql-values.ts";
import { utf8Bytes } from "../json-bytes.ts";
import { isPlainForCmd } from "./cmd.ts";
import { textOf } from "./value.ts";

/** How the values of a language travel beside its text. */
export interface Carrier {
  /** Names are this and a number. */
  readonly prefix: string;
  readonly encode: (value: JsonValue | undefined) => string;
  /** Why this value cannot travel so; null when it can. */
  readonly problem: (source: string, encoded: string) => Failure | null;
}

/** Linux takes 128 KiB for `NAME=value` with its final NUL (MAX_ARG_STRLEN); the rest is room for the name. */
const VALUE_MAX_BYTES = 128 * 1_024 - 64;

/** Environment variables: of a local process, of a remote shell, of a WinRM shell. */
const ENVIRONMENT: Carrier = { prefix: "BELLHOP_VALUE_", encode: textOf, problem: environmentProblem };

/** Parameters of a prepared statement (schema/contract/sql-values.ts). */
const BOUND: Carrier = {
  prefix: SQL_VALUE_PREFIX,
  encode: (value) => encodeSqlValue(value === undefined ? "" : value),
  problem: (source, encoded) =>
    // JSON writes half a character as an escape; drivers would send another one in its place.
    /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/u.test(encoded)
      ? notRepresentable(source, "half a character, which no database can carry")
      : null,
};

export function carrierOf(language: CodeLanguage | "unknown"): Carrier {
  return language === "sql" ? BOUND : ENVIRONMENT;
}

/** A value that cmd.exe gets as part of its text. */
export function cmdProblem(source: string, value: string, quoted: boolean): Failure | null {
  if (isPlainForCmd(value, quoted)) return null;
  const allowed = quoted
    ? "A-Z, a-z, 0-9, blanks and _ . : \\ / @ + - , with no \\ at the end"
    : "A-Z, a-z, 0-9 and _ . : \\ / @ + - , with no \\ at the end, and is not empty (between double quotes blanks may stand, too)";
  return notRepresentable(
    source,
    `characters that cmd.exe could read as a command; here a value has only ${allowed}. Use winrm.executeScript, whose PowerShell takes every value`,
  );
}

function environmentProblem(source: string, value: string): Failure | null {
  if (value.includes("\0") || !value.isWellFormed()) {
    return notRepresentable(
      source,
      "a NUL character or half a character, which no environment variable can carry. Remove it where the value comes from",
    );
  }
  const bytes = utf8Bytes(value);
  if (bytes <= VALUE_MAX_BYTES) return null;
  return {
    code: "value_too_large",
    message: `The value of ${source} has ${bytes} bytes, and an environment variable holds at most ${VALUE_MAX_BYTES}. Use a smaller part of it, or let the script fetch it.`,
  };
}

function notRepresentable(source: string, what: string): Failure {
  return { code: "value_not_representable", message: `The value of ${source} contains ${what}.` };
}
