import type { AlertEvent } from "../../domain/alerts/event.ts";
import { forKey } from "../../domain/alerts/for-key.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { findAskingAfter } from "../../store/alert-facts.ts";
import type { Position } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { toEventPage } from "./page.ts";
import type { EventPage } from "./page.ts";

/** Executions that wait for a person, and among them those that a limit made wait. */
export async function readAsking(deps: Deps, after: Position, limit: number): Promise<EventPage> {
  const rows = await findAskingAfter(deps.db, after, limit);
  return toEventPage(rows, limit, (row) => {
    const { id, at, executionId, workflowId, workflowName, tags, message, isBeyondLimit } = row;
    const name = workflowName ?? workflowId;
    const about = forKey(runKeyOf(row));
    const line = {
      at,
      subject: `Workflow "${name}" waits for an approval${about}`,
      details: [`Execution: ${executionId}`, ...(message === null ? [] : [message])],
      path: `/executions/${executionId}`,
    };
    const event = { key: `asking:${id}:${at}`, at, workflow: { id: workflowId, name, tags: tags ?? [] }, line };
    const asking: AlertEvent = { ...event, on: "approval_waiting" };
    if (!isBeyondLimit) return [asking];
    const subject = `Workflow "${name}" reached a limit and waits for an approval${about}`;
    return [asking, { ...event, on: "limit_reached", key: `limit:${id}:${at}`, line: { ...line, subject } }];
  });
}
