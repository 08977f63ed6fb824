import { REFUSED_LOGINS_APART_MS } from "../../../schema/limits.ts";
import { findRefusedLogins } from "../../store/alert-facts.ts";
import type { Position } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { toEventPage } from "./page.ts";
import type { EventPage } from "./page.ts";

/** Connections whose target refused the login. All refusals of an hour are one event: each step would be another. */
export async function readRefusedLogins(deps: Deps, after: Position, limit: number): Promise<EventPage> {
  const rows = await findRefusedLogins(deps.db, after, limit);
  return toEventPage(rows, limit, ({ at, executionId, connectionId, connectionName, agentName, message }) => {
    const found = executionId === null ? "Found by a test of the connection" : `Execution: ${executionId}`;
    const line = {
      at,
      subject: `The login of the connection "${connectionName ?? connectionId}" was refused`,
      details: [message, `Agent: ${agentName ?? "deleted"}`, found],
      path: `/connections/${connectionId}`,
    };
    const key = `login:${connectionId}:${Math.floor(at / REFUSED_LOGINS_APART_MS)}`;
    return [{ on: "credential_failed", key, at, workflow: null, line }];
  });
}
