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

const PLAIN_WORDS =
  "plain words only (letters, digits, _ . : / -; next to other text without : and /), checked when the step runs";
const IN_SHELL = `A template takes ${PLAIN_WORDS}. Pass free text as an environment variable, and write "$NAME".`;

/** How values get into code: plain words as templates in the code, checked when the step runs; others by name. */
export const TEMPLATES_IN_CODE = {
  bash: IN_SHELL,
  sh: IN_SHELL,
  powershell: `Write a template inside a string: it takes ${PLAIN_WORDS}. Pass free text as an environment variable, and write $env:NAME.`,
  python: `Write a template inside a string: it takes ${PLAIN_WORDS}. Pass free text as an environment variable, and write os.environ["NAME"].`,
  sql: "A template is a bound parameter and takes any value. Do not quote it. :name is the parameter of that name. Names of tables and columns cannot be templates.",
  cmd: "A template takes plain words only (letters, digits, _ . -), checked when the step runs.",
  unknown: "Templates work in bash, sh, Python and pwsh only. Pass values as environment variables or arguments.",
} as const satisfies Record<CodeLanguage | "unknown", string>;
