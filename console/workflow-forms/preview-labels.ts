import type { NodePreview, RunsOn } from "../../schema/contract/dry-run.ts";
import { dryRun as text } from "../strings/en/dry-run.ts";

/** The outcome of a node in the dry run and where it comes from; null for a node that would not run. */
export function outcomeLabel({ runs, outcome, outcomeBy }: NodePreview): string | null {
  if (runs === "no") return null;
  if (outcome === null) return text.noOutcome;
  return outcomeBy === null ? text.outcome(outcome) : text.outcomeBy(outcome, text.by[outcomeBy]);
}

/** A sentence about where an action would run. */
export function placeLabel({ runner, connectionName, poolId, agents }: RunsOn): string {
  const { place } = text;
  const online = agents === null ? "" : place.online(agents.online, agents.total);
  switch (runner) {
    case "service":
      return place.service;
    case "pool":
      return connectionName === null
        ? place.pool(poolId ?? "", online)
        : place.poolOn(connectionName, poolId ?? "", online);
    case "agent":
      return connectionName === null ? place.agent(online) : place.agentOn(connectionName, online);
    case null:
      return connectionName === null ? place.noConnection : place.noAgent(connectionName);
  }
}

/** A value as one line; long values are cut. */
export function shownValue(value: unknown): string {
  const json = JSON.stringify(value) ?? text.nothing;
  return json.length > SHOWN_CHARS ? text.cut(json.slice(0, SHOWN_CHARS)) : json;
}

const SHOWN_CHARS = 300;
