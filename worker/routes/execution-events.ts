import * as api from "../../schema/contract/api/execution-events.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { eventStream } from "../http/event-stream.ts";
import { streamAccess } from "../http/stream-access.ts";
import { followExecutions } from "../services/executions/follow-all.ts";
import { followExecution } from "../services/executions/follow.ts";

const MARK = "Last-Event-ID";

/** Live updates, as server-sent events. */
export const executionEventEndpoints: readonly Endpoint[] = [
  endpoint(api.followExecutions, async (c) =>
    eventStream(
      await followExecutions(c.var.deps, c.req.query(), c.req.header(MARK), streamAccess(c, api.followExecutions)),
    ),
  ),
  endpoint(api.followExecution, async (c) =>
    eventStream(
      await followExecution(c.var.deps, pathParam(c), c.req.header(MARK), streamAccess(c, api.followExecution)),
    ),
  ),
];
