import { readChangesSince } from "../../store/execution-events.ts";
import type { Deps } from "../deps.ts";
import { liveJobStates } from "../jobs/index.ts";
import { answerersOf } from "./answerers-of.ts";
import { parseLastEventId, realClock } from "./events-stream.ts";
import type { StreamEvent } from "./events-stream.ts";
import { findStartedExecution } from "./find-started.ts";
import { followStream } from "./follow-stream.ts";
import { summaryOf } from "./summary-of.ts";
import { whileAllowed } from "./while-allowed.ts";
import type { StreamAccess } from "./while-allowed.ts";

/**
 * Follows one execution (`followStream`). Throws 404 and `invalid_request` before the stream begins. The stream ends
 * when the right to read ends, and after some minutes in any case.
 */
export async function followExecution(
  deps: Deps,
  id: string,
  lastEventId: string | undefined,
  access: StreamAccess,
): Promise<AsyncGenerator<StreamEvent, void>> {
  const after = parseLastEventId(lastEventId);
  const { workflowId } = await findStartedExecution(deps, id);
  const events = followStream(
    {
      read: (after, withOpen) => readChangesSince(deps.db, id, after, withOpen),
      nextRevision: (after) => deps.objects.workflowRuns({ workflowId }).nextRevision(id, after),
      jobStates: (jobs) => liveJobStates(deps, jobs),
      summary: (row) => summaryOf(deps, row),
      answerers: (row, runs) => answerersOf(deps, row, runs),
    },
    { after, endsAt: access.endsAt },
    realClock,
  );
  return whileAllowed(events, access, realClock);
}
