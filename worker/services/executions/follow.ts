import { readChangesSince } from "../../store/execution-events.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/live-states.ts";
import { parseLastEventId, realClock } from "./events-stream.ts";
import type { StreamEvent } from "./events-stream.ts";
import { findStartedExecution } from "./find-started.ts";
import { followStream } from "./follow-stream.ts";

/**
 * Follows one execution: see `followStream`. Throws 404 and `invalid_request` before anything is streamed. Who may read
 * is checked when a stream begins; it ends by itself after some minutes, so that it is checked again (invariant 8).
 */
export async function followExecution(
  deps: Deps,
  id: string,
  lastEventId: string | undefined,
): Promise<AsyncGenerator<StreamEvent, void>> {
  const after = parseLastEventId(lastEventId);
  const { workflowId } = await findStartedExecution(deps, id);
  return followStream(
    {
      read: (after, withOpen) => readChangesSince(deps.db, id, after, withOpen),
      nextRevision: (after) => deps.objects.run({ workflowId }).nextRevision(id, after),
      jobStates: (jobs) => liveJobStates(deps, jobs),
    },
    after,
    realClock,
  );
}
