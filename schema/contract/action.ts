import { z } from "zod";
import { ACTIONS } from "./action-catalog.ts";
import type { ActionContract, CodeLanguage, Effect } from "./action-types.ts";
import type { ConnectionType } from "./connection.ts";
import { nearestValue } from "./nearest-value.ts";

export { effectSchema } from "./action-types.ts";
export type { ActionContract, CodeLanguage, Effect } from "./action-types.ts";
export { ACTIONS };

export type ActionName = keyof typeof ACTIONS;
export type ActionParams<A extends ActionName> = z.infer<(typeof ACTIONS)[A]["params"]>;

export function isActionName(value: string): value is ActionName {
  return Object.hasOwn(ACTIONS, value);
}

export const actionNameSchema = z.string().refine(isActionName, { error: ({ input }) => noAction(input) });

/** Every action's name is more than an answer shows: of a known type, that type's are enough, and a guess comes first. */
function noAction(given: unknown): string {
  const names = Object.keys(ACTIONS);
  const prefix = typeof given === "string" ? given.toLowerCase().slice(0, given.indexOf(".") + 1) : "";
  const ofType = prefix === "" ? [] : names.filter((name) => name.startsWith(prefix));
  const meant = nearestValue(names, given);
  const guess = meant === null ? "is not an action" : `is not an action. Did you mean ${meant}?`;
  if (ofType.length === 0) return `${guess}${meant === null ? ": the" : " The"} actions are ${names.join(", ")}`;
  const what = ofType.length === 1 ? "there is" : "there are";
  return meant === null
    ? `${guess}: with ${prefix} ${what} ${ofType.join(", ")}`
    : `${guess} With ${prefix} ${what} ${ofType.join(", ")}`;
}

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

/** The actions that belong to these connection types. */
export function actionsOn(types: readonly ConnectionType[]): ActionName[] {
  return Object.keys(ACTIONS)
    .filter(isActionName)
    .filter((action) => types.includes(ACTIONS[action].connectionType));
}

/** The custom connection that an action's `secretsFrom` names; null where it has none. */
export function secretsFromOf(action: ActionName, params: Readonly<Record<string, unknown>>): string | null {
  const type = ACTIONS[action].connectionType;
  const id = type === "ssh" || type === "script" ? params["secretsFrom"] : undefined;
  return typeof id === "string" ? id : null;
}

/** The language of a code parameter: a remote script's follows its `interpreter`. Null for data. zsh and ksh evaluate words
 * in more places than bash does. */
export function codeLanguage(
  action: ActionName,
  param: string,
  params: Readonly<Record<string, unknown>>,
): CodeLanguage | "unknown" | null {
  const { code } = actionContract(action);
  const language = (Object.hasOwn(code, param) ? code[param] : null) ?? null;
  if (action !== "ssh.executeScript" || language === null) return language;
  const interpreter = params["interpreter"] ?? "bash";
  const program = typeof interpreter === "string" ? interpreter.split("/").at(-1) : undefined;
  if (program === undefined) return "unknown";
  if (program === "bash") return "bash";
  if (/^(sh|dash|ash)$/u.test(program)) return "sh";
  if (/^python([0-9.]*)$/u.test(program)) return "python";
  if (program === "pwsh") return "powershell";
  return "unknown";
}
