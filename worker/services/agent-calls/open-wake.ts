import type { Deps } from "../deps.ts";
import type { AgentCaller, DispatcherRefusal } from "../../actors/dispatcher/index.ts";
import { callPool } from "./call-pool.ts";
import type { AgentCall } from "./call-pool.ts";

/** Who asks for a wake socket: the Worker has verified it, and nobody else reaches an object. */
const CALLER_HEADER = "Bellhop-Caller";

/**
 * Opens an agent's wake socket (design 4, `GET /wake`): the answer is the upgrade, from the object that will use it.
 * Throws what the agent is told when it may not have one.
 */
export async function openWake(deps: Deps, call: AgentCall): Promise<Response> {
  const { upgrade } = await callPool(
    deps,
    call,
    async (dispatcher, caller): Promise<{ upgrade: Response } | DispatcherRefusal> => {
      const headers = { Upgrade: "websocket", [CALLER_HEADER]: JSON.stringify(caller) };
      const response = await dispatcher.fetch(new Request("https://dispatcher/wake", { headers }));
      return response.status === 101 ? { upgrade: response } : response.json<DispatcherRefusal>();
    },
  );
  return upgrade;
}

/** The object's side of it. */
export function wakeCaller(request: Request): AgentCaller {
  const said: AgentCaller = JSON.parse(request.headers.get(CALLER_HEADER) ?? "");
  return said;
}
