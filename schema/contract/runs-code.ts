import { ACTIONS, effectOf } from "./action.ts";
import type { ActionName } from "./action.ts";
import type { ConnectionType } from "./connection.ts";

/**
 * What `code:write` is about. A connection of a type that runs code, or changes its target as its author words it: to
 * create one, or to say where it leads, needs the permission.
 */
const TYPE_RUNS_CODE = {
  ssh: true,
  winrm: true,
  script: true,
  custom: true,
  database: true,
  http: true,
  kubernetes: true,
  chat: false,
  ticketing: false,
  email: false,
  teamchat: false,
  osService: false,
  notification: false,
} as const satisfies Record<ConnectionType, boolean>;

export function typeRunsCode(type: ConnectionType): boolean {
  return TYPE_RUNS_CODE[type];
}

/** Types whose actions only read with certain parameters: a query with `readOnly: true`, and the methods GET and HEAD. */
const MAY_READ_ALONE: ReadonlySet<ConnectionType> = new Set(["database", "http"]);
/** Headers by which servers take a GET for another method. Many do not tell `_` from `-`. */
const METHOD_OVERRIDE = /^x-(?:http-)?method(?:-override)?$/iu;

/** Whether an action with these parameters runs code. Parameters are as written: a template is not the word that it may give. */
export function actionRunsCode(action: ActionName, params: Readonly<Record<string, unknown>>): boolean {
  const type = ACTIONS[action].connectionType;
  if (!typeRunsCode(type)) return false;
  if (!MAY_READ_ALONE.has(type) || effectOf(action, params) !== "read") return true;
  return (
    type === "http" &&
    Object.keys(params["headers"] ?? {}).some((name) => METHOD_OVERRIDE.test(name.replaceAll("_", "-")))
  );
}
