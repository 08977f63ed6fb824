import { findLostCredentials } from "../../store/alert-facts.ts";
import type { Position } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { toEventPage } from "./page.ts";
import type { EventPage } from "./page.ts";

/** Credentials that an agent refused, or did not fetch in time. */
export async function readLostCredentials(deps: Deps, after: Position, limit: number): Promise<EventPage> {
  const rows = (await findLostCredentials(deps.db, after, limit))
    .flat()
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
  return toEventPage(rows, limit, ({ id, at, version, status, error, connectionId, connectionName, agentName }) => {
    const what = status === "expired" ? "did not reach" : "was refused by";
    const subject = `The credential of "${connectionName ?? connectionId}" ${what} the agent "${agentName ?? "deleted"}"`;
    const line = { at, subject, details: error === null ? [] : [error], path: `/connections/${connectionId}` };
    return [{ on: "credential_failed", key: `credential:${id}:${version}:${status}`, at, workflow: null, line }];
  });
}
