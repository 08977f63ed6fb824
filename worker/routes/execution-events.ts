import type { Context } from "hono";
import * as api from "../../schema/contract/api/execution-events.ts";
import type { AppEnv } from "../http/app-types.ts";
import { endpoint, pathParam } from "../http/endpoint.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { eventStream } from "../http/event-stream.ts";
import { OpenStreams } from "../http/open-streams.ts";
import { streamAccess } from "../http/stream-access.ts";
import type { StreamEvent } from "../services/executions/events-stream.ts";
import { followExecutions } from "../services/executions/follow-all.ts";
import { followExecution } from "../services/executions/follow.ts";
import { keyOwner } from "../services/principal.ts";

const MARK = "Last-Event-ID";

/** One instance for the isolate: see the class. */
const openStreams = new OpenStreams();

/** Live updates as server-sent events. */
export const executionEventEndpoints: readonly Endpoint[] = [
  endpoint(api.followExecutions, async (c) =>
    stream(c, () =>
      followExecutions(c.var.deps, c.req.query(), c.req.header(MARK), streamAccess(c, api.followExecutions)),
    ),
  ),
  endpoint(api.followExecution, async (c) =>
    stream(c, () =>
      followExecution(c.var.deps, pathParam(c), c.req.header(MARK), streamAccess(c, api.followExecution)),
    ),
  ),
];

async function stream(
  context: Context<AppEnv>,
  open: () => Promise<AsyncGenerator<StreamEvent, void>>,
): Promise<Response> {
  const place = openStreams.enter(keyOwner(context.var.principal), Date.now());
  try {
    return eventStream(await open(), place);
  } catch (error) {
    place.ended();
    throw error;
  }
}
