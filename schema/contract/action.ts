import { z } from "zod";
import { ACTIONS } from "./action-catalog.ts";
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
  /** The names of `nodes.<id>.output` that this action fills. */
  readonly output: readonly string[];
}

export { ACTIONS };

export type ActionName = keyof typeof ACTIONS;
export type ActionParams<A extends ActionName> = z.infer<(typeof ACTIONS)[A]["params"]>;

export function isActionName(value: string): value is ActionName {
  return Object.hasOwn(ACTIONS, value);
}

export const actionNameSchema = z
  .string()
  .refine(isActionName, { error: `is not an action: the actions are ${Object.keys(ACTIONS).join(", ")}` });

/** The contract of an action, seen through the one interface that they all share. */
export function actionContract(action: ActionName): ActionContract {
  return ACTIONS[action];
}

/** What running this action with these parameters twice does (design 5, "Effects"). */
export function effectOf(action: ActionName, params: Readonly<Record<string, unknown>>): Effect {
  if (action === "http.request") {
    const method = params["method"] ?? "GET";
    return method === "GET" || method === "HEAD" ? "read" : "unsafe";
  }
  if (action === "database.executeQuery" && params["readOnly"] === true) return "read";
  return ACTIONS[action].effect;
}

/** Whether an action may run on a connection of this type; scripts also run on a custom one (design 5). */
export function runsOn(action: ActionName, type: ConnectionType): boolean {
  const own = ACTIONS[action].connectionType;
  return own === type || (own === "script" && type === "custom");
}

/** The language of a code parameter: a remote script's follows its `interpreter`. Null for data. */
export function codeLanguage(
  action: ActionName,
  param: string,
  params: Readonly<Record<string, unknown>>,
): CodeLanguage | "unknown" | null {
  const language = actionContract(action).code[param] ?? null;
  if (action !== "ssh.executeScript" || language === null) return language;
  const interpreter = params["interpreter"] ?? "bash";
  const program = typeof interpreter === "string" ? interpreter.split("/").at(-1) : undefined;
  if (program === undefined) return "unknown";
  if (/^(bash|zsh|ksh)$/u.test(program)) return "bash";
  if (/^(sh|dash|ash)$/u.test(program)) return "sh";
  if (/^python([0-9.]*)$/u.test(program)) return "python";
  if (program === "pwsh") return "powershell";
  return "unknown";
}
