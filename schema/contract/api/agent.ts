import {
  AGENT_API_PATH,
  SESSION_HEADER,
  enrolRequestSchema,
  enrolResponseSchema,
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
      "The session from the registration. Without a valid one: 409 `register_again`. An answer may have a new session in the same header: send that one from then on. The old one stays valid.",
  },
] as const;
const errors = ["unauthorized", "superseded", "register_again"] as const;

export const enrolAgent = {
  id: "enrolAgent",
  method: "POST",
  path: `${AGENT_API_PATH}/enrol`,
  tag,
  summary: "Exchange an enrolment code for the agent's key",
  description:
    "Once. The answer has a new key, which replaces the one that the agent was created with and is never shown again. 410 when the code was used, was replaced or has expired, and after the agent has registered.",
  access: "public",
  body: enrolRequestSchema,
  answer: { kind: "data", status: 200, data: enrolResponseSchema },
  errors: ["unauthorized", "gone", "rate_limit_exceeded"],
} as const satisfies Operation;

export const registerAgent = {
  id: "registerAgent",
  method: "POST",
  path: `${AGENT_API_PATH}/register`,
  tag,
  summary: "Register a running agent",
  description:
    "Reports the process and its abilities, and returns the session for its other calls. Only the process that registered last is served.",
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
    "New jobs up to the capacity, and jobs that were given to this agent and are not in `held`. A disabled agent gets none. While the agent's wake socket is open, the answer may have `pollAfterSeconds`: an idle agent then polls after that many seconds, or earlier when it is woken. It sends a heartbeat only while it holds a lease or has news. When the socket closes, the agent immediately polls and sends a heartbeat, and continues at its own intervals.",
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
  description: "Each result is acknowledged separately. Send a result again when its answer is `retry`.",
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
  description: "The agent shuts down: it is offline immediately, and gets no jobs until it registers again.",
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
    "A WebSocket without data: the text `poll` means that a poll would return something now, and `ping` is answered with `pong`. The agent pings at least every 25 seconds, and drops a socket that does not answer. Without the socket, polling continues.",
  ...agentKey,
  headers,
  answer: { kind: "upgrade" },
  errors: [...errors, "invalid_request"],
} as const satisfies Operation;
