import { wakeRequest } from "../../actors/dispatcher/index.ts";
import type { DispatcherRefusal } from "../../actors/dispatcher/index.ts";
import type { Deps } from "../deps.ts";
import { callDispatcher } from "./call-dispatcher.ts";
import type { AgentCall } from "./call-dispatcher.ts";

/**
 * Opens an agent's wake socket (docs/design/agent-protocol.md#wake-socket). The answer is the upgrade from the object
 * that uses the socket. Throws a problem for an agent that may not have one.
 */
export async function openWake(deps: Deps, call: AgentCall): Promise<Response> {
  const { upgrade } = await callDispatcher(
    deps,
    call,
    async (dispatcher, caller): Promise<{ upgrade: Response } | DispatcherRefusal> => {
      const response = await dispatcher.fetch(wakeRequest(caller));
      return response.status === 101 ? { upgrade: response } : response.json<DispatcherRefusal>();
    },
  );
  return upgrade;
}
