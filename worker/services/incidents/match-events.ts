import { startsFrom } from "../../domain/incident/match.ts";
import { findIncidentWorkflows, markMatched } from "../../store/incident-events.ts";
import type { IncidentEventRow, IncidentWorkflow } from "../../store/incident-events.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import { logWarning } from "../log.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";

export type { IncidentEventRow as EventRow };

const START_TIMEOUT_MS = 15_000;
/** So many are marked at once: when the platform cuts a long delivery off, little is matched again. */
const TOGETHER = 50;
/** The platform lets a Worker have six requests under way. */
const AT_ONCE = 5;

/**
 * Starts what these events match, those of one incident in their order, and marks those of which everything was started.
 * An execution is one for each workflow and event (`triggerKey`), so that matching twice, or at two places at once,
 * starts nothing twice. Never throws: what stays unmarked is matched by the minute's duty.
 */
export async function matchEvents(deps: Deps, events: readonly IncidentEventRow[]): Promise<void> {
  if (events.length === 0) return;
  try {
    const workflows = await findIncidentWorkflows(deps.db);
    for (let at = 0; at < events.length; at += TOGETHER) {
      const matched = await startEach(deps, events.slice(at, at + TOGETHER), workflows);
      if (matched.length > 0) await markMatched(deps.db, matched, deps.now());
    }
  } catch (error) {
    logWarning("events of incidents could not be matched; they are matched in a minute", {
      events: events.length,
      error: String(error),
    });
  }
}

/** The ids of the events of which everything was started. */
async function startEach(
  deps: Deps,
  events: readonly IncidentEventRow[],
  workflows: readonly IncidentWorkflow[],
): Promise<string[]> {
  const matched: string[] = [];
  const groups = [...Map.groupBy(events, ({ incidentId }) => incidentId).values()];
  const work = async () => {
    for (let group = groups.shift(); group !== undefined; group = groups.shift()) {
      for (const event of group) if (await startAll(deps, event, workflows)) matched.push(event.id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return matched;
}

/** Whether every workflow that the event matches has been started. One that cannot be started holds up no other. */
async function startAll(deps: Deps, event: IncidentEventRow, workflows: readonly IncidentWorkflow[]): Promise<boolean> {
  const starts = workflows
    // An event that is matched late does not start what was published after it. What was published again in between
    // starts as it is now.
    .filter(({ publishedSince }) => publishedSince <= event.at)
    .filter(({ trigger }) => startsFrom(trigger, event.type, event.snapshot))
    .map((workflow) => start(deps, event, workflow));
  const failures = (await Promise.allSettled(starts)).filter((outcome) => outcome.status === "rejected");
  const [first] = failures;
  if (first === undefined) return true;
  logWarning("an event of an incident could not start all its workflows; they are started in a minute", {
    eventId: event.id,
    failed: failures.length,
    error: String(first.reason),
  });
  return false;
}

function start(deps: Deps, event: IncidentEventRow, { workflowId, versionId }: IncidentWorkflow): Promise<unknown> {
  const started = deps.objects.workflowRuns({ workflowId }).start({
    // Minted as of its start, so that lists find it there however late it is matched.
    executionId: newId("execution", event.at),
    workflowId,
    versionId,
    trigger: { type: "incident", incident: event.snapshot },
    triggerKey: event.id,
    webhookKey: null,
    // The event's own time, as a webhook's is its acceptance; `store/incident-events.ts` finds executions by it.
    startedAt: event.at,
  });
  return withTimeout(START_TIMEOUT_MS, "starting an execution", started);
}
