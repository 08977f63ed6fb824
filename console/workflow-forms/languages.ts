import { StreamLanguage } from "@codemirror/language";
import { json } from "@codemirror/legacy-modes/mode/javascript";
import { powerShell } from "@codemirror/legacy-modes/mode/powershell";
import { python } from "@codemirror/legacy-modes/mode/python";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { standardSQL } from "@codemirror/legacy-modes/mode/sql";
import type { Extension } from "@codemirror/state";
import type { CodeLanguage } from "../../schema/contract/action.ts";

export type EditorLanguage = CodeLanguage | "unknown" | "json";

const EXTENSIONS: Readonly<Record<EditorLanguage, Extension>> = {
  bash: StreamLanguage.define(shell),
  sh: StreamLanguage.define(shell),
  powershell: StreamLanguage.define(powerShell),
  python: StreamLanguage.define(python),
  sql: StreamLanguage.define(standardSQL),
  json: StreamLanguage.define(json),
  cmd: [],
  unknown: [],
};

export function extensionOf(language: EditorLanguage | null): Extension {
  return language === null ? [] : EXTENSIONS[language];
}

export const LANGUAGE_NAMES = {
  bash: "Bash",
  sh: "sh",
  powershell: "PowerShell",
  python: "Python",
  cmd: "cmd.exe",
  sql: "SQL",
  unknown: "another language",
} as const satisfies Record<CodeLanguage | "unknown", string>;

/** How templates may stand in code: a value never becomes code. */
export const TEMPLATES_IN_CODE = {
  bash: "A template becomes a variable that holds its value, whatever stands in it. Put quotes around it, as around any variable.",
  sh: "A template becomes a variable that holds its value, whatever stands in it. Put quotes around it, as around any variable.",
  powershell: "A template becomes a variable that holds its value, whatever stands in it.",
  python: "A template becomes an expression that gives its value as text, whatever stands in it.",
  sql: "A template becomes a bound parameter: write no quotes around it. Names of tables and columns cannot be templates.",
  cmd: "Only values of plain letters, digits and a few signs can stand in a command of cmd.exe; others fail when it runs.",
  unknown: "Templates are known for bash, sh, Python and pwsh only. Pass values as arguments instead.",
} as const satisfies Record<CodeLanguage | "unknown", string>;
