/** What others may know of dispatchers: the data of their calls. */
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
