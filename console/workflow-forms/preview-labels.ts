import type { NodePreview, RunsOn } from "../../schema/contract/dry-run.ts";

/** Whether a node would run, as text: colour alone is not enough. */
export function runsLabel({ runs }: NodePreview): string {
  return { yes: "would run", no: "would not run", unknown: "may run" }[runs];
}

/** The outcome of a node in the dry run and where it comes from; null for a node that would not run. */
export function outcomeLabel({ runs, outcome, outcomeBy }: NodePreview): string | null {
  if (runs === "no") return null;
  if (outcome === null) return "the result is unknown: choose one below";
  const how = { given: "as you chose", evaluated: "with this data", assumed: "assumed" };
  return `ends with ${outcome}${outcomeBy === null ? "" : `, ${how[outcomeBy]}`}`;
}

/** A sentence about where an action would run. */
export function placeLabel(place: RunsOn): string {
  const { runner, connectionName, poolId, agents } = place;
  const on = connectionName === null ? "" : ` on ${connectionName}`;
  switch (runner) {
    case "service":
      return "The service runs this itself, without an agent.";
    case "pool":
      return `Would run${on} with an agent of the pool ${poolId ?? ""}${online(agents)}.`;
    case "agent":
      return `Would run${on} with one agent${online(agents)}.`;
    case null:
      return connectionName === null
        ? "No connection is chosen."
        : `The connection ${connectionName} has no agent or pool.`;
  }
}

function online(agents: RunsOn["agents"]): string {
  return agents === null ? "" : ` (${agents.online} of ${agents.total} online)`;
}

/** A value as one line; long values are cut. */
export function shownValue(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}
