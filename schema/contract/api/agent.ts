import {
  AGENT_API_PATH,
  SESSION_HEADER,
  heartbeatRequestSchema,
  heartbeatResponseSchema,
  jobsAnswerSchema,
  jobsQuerySchema,
  offlineRequestSchema,
  offlineResponseSchema,
  registerRequestSchema,
  registerResponseSchema,
  resultsRequestSchema,
  resultsResponseSchema,
} from "../agent.ts";
import type { Operation } from "../operation.ts";

/** The calls of agents (docs/design/agent-protocol.md#calls). */
const tag = "Agent protocol";
const agentKey = { access: "public", security: "agentKey" } as const;
const headers = [
  {
    name: SESSION_HEADER,
    description:
      "The session that registering gave. Without a valid one: 409 `register_again`. An answer may bring another one in the same header: it stands for the same, and is to be sent from then on; who goes on with the old one is served, too.",
  },
] as const;
const errors = ["unauthorized", "superseded", "register_again"] as const;

export const registerAgent = {
  id: "registerAgent",
  method: "POST",
  path: `${AGENT_API_PATH}/register`,
  tag,
  summary: "Register a running agent",
  description:
    "Says who the process is and what it can do, and gives it the session that its other calls carry. The process that registered last is the one that is served.",
  ...agentKey,
  body: registerRequestSchema,
  answer: { kind: "data", status: 200, data: registerResponseSchema },
  errors: ["unauthorized", "rate_limit_exceeded"],
} as const satisfies Operation;

export const pollJobs = {
  id: "pollJobs",
  method: "GET",
  path: `${AGENT_API_PATH}/jobs`,
  tag,
  summary: "Fetch jobs",
  description:
    "New ones up to the capacity, and those that were given to this agent and that `held` does not name. A disabled agent gets none. While the agent's wake socket is open, the answer may carry `pollAfterSeconds`: an idle agent then polls after that many seconds or when it is woken, whichever is first, and sends a heartbeat only while it holds a lease or when its heartbeat would say something new. When the socket closes, the agent polls and sends a heartbeat at once, and goes on at its own intervals.",
  ...agentKey,
  headers,
  query: jobsQuerySchema,
  answer: { kind: "data", status: 200, data: jobsAnswerSchema },
  errors,
} as const satisfies Operation;

export const reportResults = {
  id: "reportResults",
  method: "POST",
  path: `${AGENT_API_PATH}/results`,
  tag,
  summary: "Report results",
  description: "Every result is acknowledged by itself; one that is answered with `retry` is to be sent again.",
  ...agentKey,
  headers,
  body: resultsRequestSchema,
  answer: { kind: "data", status: 200, data: resultsResponseSchema },
  errors,
} as const satisfies Operation;

export const sendHeartbeat = {
  id: "sendHeartbeat",
  method: "POST",
  path: `${AGENT_API_PATH}/heartbeat`,
  tag,
  summary: "Report liveness",
  ...agentKey,
  headers,
  body: heartbeatRequestSchema,
  answer: { kind: "data", status: 200, data: heartbeatResponseSchema },
  errors,
} as const satisfies Operation;

export const sayOffline = {
  id: "sayOffline",
  method: "POST",
  path: `${AGENT_API_PATH}/offline`,
  tag,
  summary: "Say goodbye",
  description: "The agent shuts down: it is offline at once, and gets nothing more until it registers again.",
  ...agentKey,
  headers,
  body: offlineRequestSchema,
  answer: { kind: "data", status: 200, data: offlineResponseSchema },
  errors,
} as const satisfies Operation;

export const openWakeSocket = {
  id: "openWakeSocket",
  method: "GET",
  path: `${AGENT_API_PATH}/wake`,
  tag,
  summary: "Open the wake socket",
  description:
    "A WebSocket that carries no data: the text `poll` says that a poll would bring something now, and `ping` is answered with `pong`. The agent pings every 25 seconds at most, and drops a socket that does not answer. Polling goes on without it.",
  ...agentKey,
  headers,
  answer: { kind: "upgrade" },
  errors: [...errors, "invalid_request"],
} as const satisfies Operation;
