/** The public part of dispatchers: the data of their calls, and the request for a wake socket. */
export type {
  AgentCaller,
  AgentPresence,
  AgentSettings,
  HeartbeatAnswer,
  JobState,
  PollRequest,
  DispatcherRefusal,
  RegisterOrder,
  Registered,
} from "./rpc.ts";
export { neverHeard } from "./views.ts";
export { wakeRequest } from "./wake-request.ts";
