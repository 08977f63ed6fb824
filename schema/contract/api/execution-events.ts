import { executionEventSchemas, executionListEventSchemas, followExecutionsQuerySchema } from "../execution-event.ts";
import type { Operation } from "../operation.ts";

const tag = "Executions";
const headers = [
  {
    name: "Last-Event-ID",
    description: "The id of the last received event: the stream continues after it. Browsers send it automatically.",
  },
] as const;

export const followExecution = {
  id: "followExecution",
  method: "GET",
  path: "/api/v1/automation/executions/{id}/events",
  tag,
  summary: "Follow an execution",
  description:
    "Server-sent events: first `execution` with everything, then a `nodeRun` for each change followed by an `execution`, and at last `end`. The id is the execution's revision. Every few minutes the stream sends `reconnect` and ends: connect again with `Last-Event-ID` and valid credentials.",
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
    "Server-sent events: `ready`, then an `execution` for each one that begins, changes or ends. With `Last-Event-ID` the stream continues without a gap. After a long absence it sends `resync` instead: read the list again. Every few minutes the stream sends `reconnect` and ends.",
  access: "automation:read",
  headers,
  query: followExecutionsQuerySchema,
  answer: { kind: "events", events: executionListEventSchemas },
} as const satisfies Operation;
