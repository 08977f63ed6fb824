import { z } from "zod";

/** The effect of running an action twice. */
export type Effect = "read" | "idempotent" | "unsafe";
export const effectSchema = z.enum(["read", "idempotent", "unsafe"]);

export type CodeLanguage = "bash" | "sh" | "powershell" | "python" | "cmd" | "sql";

/** What a value is, as forms and completions name it. */
export type ValueType = "text" | "number" | "boolean" | "list" | "object" | "any";

/** One value of an action's output. */
export interface OutputField {
  readonly type: ValueType;
  /** What it is, as part of a sentence: "the exit code". */
  readonly help: string;
  /** An action that succeeds may leave it out. */
  readonly isOptional?: true;
}
