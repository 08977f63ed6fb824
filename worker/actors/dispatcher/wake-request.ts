import type { AgentCaller } from "./rpc.ts";

/** Who asks for a wake socket: the Worker has verified the agent, and no one else reaches an object. */
const CALLER_HEADER = "Bellhop-Caller";

/** The request with which the Worker passes on an agent's call for a wake socket. */
export function wakeRequest(caller: AgentCaller): Request {
  const headers = { Upgrade: "websocket", [CALLER_HEADER]: JSON.stringify(caller) };
  return new Request("https://dispatcher/wake", { headers });
}

/** Who sent it, for the object. */
export function wakeCaller(request: Request): AgentCaller {
  const said: AgentCaller = JSON.parse(request.headers.get(CALLER_HEADER) ?? "");
  return said;
}
