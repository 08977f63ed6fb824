import { ACTIONS } from "../../../schema/contract/action.ts";
import type { ActionName, Effect } from "../../../schema/contract/action.ts";
import type { ConnectionType } from "../../../schema/contract/connection.ts";

/** Messages to people: a run that reached a limit must still be able to report it. */
const MESSAGES: ReadonlySet<ConnectionType> = new Set(["notification", "email", "chat", "teamchat"]);

/** Whether an action needs a reservation in a workflow with limits. */
export function isLimited(action: ActionName, effect: Effect): boolean {
  return effect === "unsafe" && !MESSAGES.has(ACTIONS[action].connectionType);
}
