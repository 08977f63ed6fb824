import { startsFrom } from "../../domain/incident/match.ts";
import { markMatched } from "../../store/incident-events.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import { findEventWorkflows } from "../../store/started-by-events.ts";
import type { EventWorkflow } from "../../store/started-by-events.ts";
import type { Deps } from "../deps.ts";
import { newId } from "../ids.ts";
import { logWarning } from "../log.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { failureMessage } from "../../store/errors.ts";

export type { IncidentEventRow as EventRow };

const START_TIMEOUT_MS = 15_000;
/** Events marked per write: when the platform aborts a long delivery, few of them are matched again. */
const TOGETHER = 50;
/** The platform allows six concurrent requests per Worker. */
const AT_ONCE = 5;

/**
 * Starts the workflows that these events match, in the order of each incident's events, and marks the events whose
 * workflows all started. Each workflow and event has one execution (`triggerKey`), so a second or concurrent match
 * starts nothing twice. Never throws: unmarked events are matched again within a minute.
 */
export async function matchEvents(deps: Deps, events: readonly IncidentEventRow[]): Promise<void> {
  if (events.length === 0) return;
  try {
    const workflows = await findEventWorkflows(deps.db, "incident");
    for (let at = 0; at < events.length; at += TOGETHER) {
      const matched = await startEach(deps, events.slice(at, at + TOGETHER), workflows);
      if (matched.length > 0) await markMatched(deps.db, matched, deps.now());
    }
  } catch (error) {
    logWarning("events of incidents could not be matched; they are matched in a minute", {
      events: events.length,
      error: failureMessage(error),
    });
  }
}

/** The ids of the events whose workflows all started. */
async function startEach(
  deps: Deps,
  events: readonly IncidentEventRow[],
  workflows: readonly EventWorkflow[],
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

/** Whether all workflows that the event matches have been started. A failed start does not hold up the others. */
async function startAll(deps: Deps, event: IncidentEventRow, workflows: readonly EventWorkflow[]): Promise<boolean> {
  const starts = workflows
    // An event that is matched late does not start a workflow published after it. A workflow that was published again
    // meanwhile starts with its current version.
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

function start(deps: Deps, event: IncidentEventRow, { workflowId, versionId }: EventWorkflow): Promise<unknown> {
  const started = deps.objects.workflowRuns({ workflowId }).start({
    // Minted as of its start, so that lists find it there even when it was matched late.
    executionId: newId("execution", event.at),
    workflowId,
    versionId,
    trigger: { type: "incident", incident: event.snapshot },
    triggerKey: event.id,
    webhookKey: null,
    // The event's time, as a webhook's start is its acceptance; `store/incident-events.ts` finds executions by it.
    startedAt: event.at,
  });
  return withTimeout(START_TIMEOUT_MS, "starting an execution", started);
}
