import type { AgentCaller } from "./rpc.ts";

/** Carries the agent that the Worker has verified. Only the Worker can reach an object. */
const CALLER_HEADER = "Bellhop-Caller";

/** The Worker's request to the dispatcher for an agent's wake socket. */
export function wakeRequest(caller: AgentCaller): Request {
  const headers = { Upgrade: "websocket", [CALLER_HEADER]: JSON.stringify(caller) };
  return new Request("https://dispatcher/wake", { headers });
}

/** The agent that a request of `wakeRequest` names. */
export function wakeCaller(request: Request): AgentCaller {
  const said: AgentCaller = JSON.parse(request.headers.get(CALLER_HEADER) ?? "");
  return said;
}
