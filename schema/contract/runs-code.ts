import { ACTIONS } from "./action.ts";
import type { ActionName } from "./action.ts";
import { descriptorOf } from "./connection.ts";
import type { ConnectionType } from "./connection.ts";

/**
 * Whether actions of this type run an author's code, or change objects that an author names. Then `code:write` is
 * needed to create a connection of this type, and to change where one leads.
 */
export function typeRunsCode(type: ConnectionType): boolean {
  return descriptorOf(type).runsCode;
}

/**
 * Whether an action with these parameters runs code. The parameters are unrendered: a template does not count as its
 * value.
 */
export function actionRunsCode(action: ActionName, params: Readonly<Record<string, unknown>>): boolean {
  const { connectionType, runsCode } = ACTIONS[action];
  return typeRunsCode(connectionType) && (runsCode?.(params) ?? true);
}
