import type { NodePreview, RunsOn } from "../../schema/contract/dry-run.ts";

/** Whether a node would run, as text: colour alone is not enough. */
export function runsLabel({ runs }: NodePreview): string {
  return { yes: "would run", no: "would not run", unknown: "may run" }[runs];
}

/** The outcome of a node in the dry run and where it comes from; null for a node that would not run. */
export function outcomeLabel({ runs, outcome, outcomeBy }: NodePreview): string | null {
  if (runs === "no") return null;
  if (outcome === null) return "how it leaves is not known: say it below";
  const how = { given: "as you said", evaluated: "with these data", assumed: "assumed" };
  return `leaves by ${outcome}${outcomeBy === null ? "" : `, ${how[outcomeBy]}`}`;
}

/** A sentence about where an action would run. */
export function placeLabel(place: RunsOn): string {
  const { runner, connectionName, poolId, agents } = place;
  const on = connectionName === null ? "" : ` on ${connectionName}`;
  switch (runner) {
    case "service":
      return "The service does it itself; no agent has part in it.";
    case "pool":
      return `Would run${on}, by an agent of the pool ${poolId ?? ""}${online(agents)}.`;
    case "agent":
      return `Would run${on}, by one agent${online(agents)}.`;
    case null:
      return connectionName === null
        ? "It has no connection to run on."
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
