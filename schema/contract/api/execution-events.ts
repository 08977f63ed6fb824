import { executionEventSchemas, executionListEventSchemas, followExecutionsQuerySchema } from "../execution-event.ts";
import type { Operation } from "../operation.ts";

const tag = "Executions";
const headers = [
  {
    name: "Last-Event-ID",
    description:
      "The id of the last event that was received: the stream goes on behind it. Browsers send it themselves.",
  },
] as const;

export const followExecution = {
  id: "followExecution",
  method: "GET",
  path: "/api/v1/automation/executions/{id}/events",
  tag,
  summary: "Follow an execution",
  description:
    "Server-sent events: `execution` with everything first, then `nodeRun` for every one that changes and `execution` behind them, `end` when it is over. The id is the execution's revision. Every few minutes the stream says `reconnect` and ends: come back with `Last-Event-ID`, and with credentials that are still valid.",
  access: "automation:read",
  headers,
  answer: { kind: "events", events: executionEventSchemas },
  errors: ["invalid_request", "not_found"],
} as const satisfies Operation;

export const followExecutions = {
  id: "followExecutions",
  method: "GET",
  path: "/api/v1/automation/executions/events",
  tag,
  summary: "Follow all executions",
  description:
    "Server-sent events: `ready`, then `execution` for every one that begins, changes or ends. With `Last-Event-ID` nothing is left out in between; after too long an absence there is `resync` instead: read the list again. Every few minutes the stream says `reconnect` and ends.",
  access: "automation:read",
  headers,
  query: followExecutionsQuerySchema,
  answer: { kind: "events", events: executionListEventSchemas },
} as const satisfies Operation;
