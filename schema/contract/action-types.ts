import { z } from "zod";
import type { ConnectionType } from "./connection.ts";

/**
 * The 29 actions (specification, "Connection"; design 5 and 9): parameters, which of them are code and in what
 * language, what running one twice does, and the connection type each belongs to.
 */
export type Effect = "read" | "idempotent" | "unsafe";
export const effectSchema = z.enum(["read", "idempotent", "unsafe"]);

export type CodeLanguage = "bash" | "sh" | "powershell" | "python" | "cmd" | "sql";

export interface ActionContract {
  readonly connectionType: ConnectionType;
  readonly effect: Effect;
  readonly params: z.ZodType<Record<string, unknown>>;
  /** The parameters that are code; every other one is data. */
  readonly code: Readonly<Record<string, CodeLanguage>>;
  /** The parameter whose members travel beside the code by their names, in the job's `values` (`env`, `parameters`). */
  readonly namedValues?: "env" | "parameters";
  /** The names of `nodes.<id>.output` that this action fills. */
  readonly output: readonly string[];
}
