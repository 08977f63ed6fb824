import { unmatchedEvents } from "../../store/incident-events.ts";
import type { IncidentEventRow } from "../../store/incident-events.ts";
import type { Deps } from "../deps.ts";
import { matchEvents } from "./match-events.ts";

const AT_ONCE = 100;
/** A tick has other tasks; the next tick continues with the rest. */
const TIME_LIMIT_MS = 20_000;

/**
 * Matches stored events that a crash or a silent `WorkflowRuns` left unmatched. It goes page by page, so that events
 * that cannot be started do not hold back those after them.
 */
export async function matchUnmatchedEvents(deps: Deps): Promise<void> {
  const endAt = deps.now() + TIME_LIMIT_MS;
  let last: IncidentEventRow | null = null;
  do {
    const events: IncidentEventRow[] = await unmatchedEvents(deps.db, last, AT_ONCE);
    await matchEvents(deps, events);
    last = events.length < AT_ONCE ? null : (events.at(-1) ?? null);
  } while (last !== null && deps.now() < endAt);
}
