import { ACTIONS } from "./action.ts";
import type { ActionName } from "./action.ts";
import { descriptorOf } from "./connection.ts";
import type { ConnectionType } from "./connection.ts";

/**
 * What `code:write` is about. A connection of a type that runs code, or changes its target as its author words it: to
 * create one, or to say where it leads, needs the permission.
 */
export function typeRunsCode(type: ConnectionType): boolean {
  return descriptorOf(type).runsCode;
}

/** Whether an action with these parameters runs code. Parameters are as written: a template is not the word that it may give. */
export function actionRunsCode(action: ActionName, params: Readonly<Record<string, unknown>>): boolean {
  const { connectionType, runsCode } = ACTIONS[action];
  return typeRunsCode(connectionType) && (runsCode?.(params) ?? true);
}
