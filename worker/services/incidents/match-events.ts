import { startsFrom } from "../../domain/incident/match.ts";
import { findIncidentWorkflows, markMatched } from "../../store/incident-events.ts";
import type { IncidentEventRow, IncidentWorkflow } from "../../store/incident-events.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { within } from "../pool/within.ts";

export type { IncidentEventRow as EventRow };

const START_TIMEOUT_MS = 15_000;

/**
 * Starts what these events match, in their order, and marks those of which everything was started. An execution is one
 * for each workflow and event (`triggerKey`), so that matching twice, or at two places at once, starts nothing twice.
 * Never throws: what stays unmarked is matched by the minute's duty.
 */
export async function matchEvents(deps: Deps, events: readonly IncidentEventRow[]): Promise<void> {
  if (events.length === 0) return;
  const matched: string[] = [];
  try {
    const workflows = await findIncidentWorkflows(deps.db);
    for (const event of events) {
      if (await startAll(deps, event, workflows)) matched.push(event.id);
    }
    if (matched.length > 0) await markMatched(deps.db, matched, deps.now());
  } catch (error) {
    logWarning("events of incidents could not be matched; they are matched in a minute", {
      events: events.length,
      error: String(error),
    });
  }
}

/** Whether every workflow that the event matches has been started. One that cannot be started holds up no other. */
async function startAll(deps: Deps, event: IncidentEventRow, workflows: readonly IncidentWorkflow[]): Promise<boolean> {
  const starts = workflows
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
  const started = deps.objects.run({ workflowId }).start({
    executionId: deps.newId("execution"),
    workflowId,
    versionId,
    trigger: { type: "incident", incident: event.snapshot },
    triggerKey: event.id,
    webhookKey: null,
    // The event's own time, as a webhook's is its acceptance; `store/incident-events.ts` finds executions by it.
    startedAt: event.at,
  });
  return within(START_TIMEOUT_MS, "starting an execution", started);
}
