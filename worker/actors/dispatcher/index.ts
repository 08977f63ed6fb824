/** What others may know of dispatchers: the data of their calls, and how a wake socket is asked for. */
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
