import { findSwitchedOffAfter } from "../../store/alert-facts.ts";
import type { Position } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { toEventPage } from "./page.ts";
import type { EventPage } from "./page.ts";

/** Schedules that the service switched off. */
export async function readSwitchedOff(deps: Deps, after: Position, limit: number): Promise<EventPage> {
  const rows = await findSwitchedOffAfter(deps.db, after, limit);
  return toEventPage(rows, limit, ({ id, at, name, tags, reason, runbookUrl }) => {
    const details = [...(reason === null ? [] : [reason]), ...(runbookUrl === null ? [] : [`Runbook: ${runbookUrl}`])];
    const line = { at, subject: `The schedule of "${name}" was switched off`, details, path: `/workflows/${id}` };
    return [{ on: "schedule_disabled", key: `switched-off:${id}:${at}`, at, workflow: { id, name, tags }, line }];
  });
}
