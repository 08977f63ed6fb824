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
