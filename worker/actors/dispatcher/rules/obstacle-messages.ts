import type { AgentFeature } from "../../../../schema/contract/agent.ts";
import { OFFLINE_AFTER_MS } from "../../../../schema/limits.ts";
import type { Candidate, Obstacle, WaitingJob } from "./candidate.ts";

/** Agents with the same obstacle. `agents` names all of them, or is empty when they are only counted. */
export interface Hindered {
  readonly obstacle: Obstacle;
  readonly count: number;
  readonly agents: readonly Pick<Candidate, "name" | "silentMs">[];
}

interface ObstacleText {
  /** Follows the subject and verb (`web-1 is …`) or a count (`2 …`). */
  readonly state: string;
  /** What to do with agents by name, "it" or "one". Absent where only waiting or a credential helps. */
  readonly advice?: (whom: string) => string;
}

const TEXTS: Record<Obstacle, ObstacleText> = {
  other_agent: { state: "not its agent" },
  never_started: { state: "never started", advice: (whom) => `start ${whom} with its key` },
  disabled: { state: "disabled", advice: (whom) => `enable ${whom}` },
  rekeyed: { state: "without their new keys", advice: (whom) => `give ${whom} the new key` },
  offline: { state: "offline", advice: (whom) => `start ${whom}` },
  draining: { state: "shutting down", advice: (whom) => `start ${whom} again` },
  no_feature: { state: "too old for", advice: (whom) => `update ${whom}` },
  no_action: { state: "too old for", advice: (whom) => `update ${whom}` },
  no_credential: { state: "without the connection's credential" },
  no_secrets: { state: "without the secrets that its script gets" },
  unbound: { state: "holding the connection's credential, which is bound to no target" },
  other_target: { state: "holding the connection's credential for another target" },
  delivered_before: { state: "holding the connection's credential for its former target" },
  secrets_unbound: { state: "holding the secrets that its script gets, which are bound to no target" },
  secrets_other_target: { state: "holding the secrets that its script gets for another target" },
  secrets_delivered_before: { state: "holding the secrets that its script gets for their former target" },
  not_polling: { state: "not asking for jobs", advice: (whom) => `restart ${whom}` },
  full: { state: "busy with as many jobs as it may run" },
};

/** What an agent without the feature is too old for. */
const FEATURES = {
  namedValues: "named values",
  boundCredentials: "credentials with targets",
  boundWorkflows: "credentials that are for certain workflows",
  targets: "connections with several hosts",
} as const satisfies Record<AgentFeature, string>;

/** Why these agents cannot take the job: `web-1 is offline`, `2 offline`. */
export function obstacleMessage({ obstacle, count, agents }: Hindered, job: WaitingJob): string {
  const state = stateOf(obstacle, job);
  if (agents.length === 0) return `${count} ${state}`;
  const names = listed(agents, "and");
  const [was, is, has] = agents.length === 1 ? ["was", "is", "has"] : ["were", "are", "have"];
  switch (obstacle) {
    case "never_started":
      return `${names} ${was} ${state}`;
    case "rekeyed":
      return `${names} got a new key and ${has} not called with it yet`;
    case "not_polling":
      return agents.map(silenceMessage).join(", ");
    case "full":
      return agents.length === 1 ? `${names} is ${state}` : `${names} are busy with as many jobs as they may run`;
    default:
      return `${names} ${is} ${state}`;
  }
}

/** What a person can do so that agents take a job again; empty when there is nothing. `lead` starts the sentence. */
export function adviceOn(hindered: readonly Hindered[], isOnlyOne: boolean, lead = ""): string {
  const whomOf = ({ agents }: Hindered) => (isOnlyOne ? "it" : listed(agents, "or") || "one");
  const advised = hindered.flatMap((some) => TEXTS[some.obstacle].advice?.(whomOf(some)) ?? []);
  if (advised.length === 0) return "";
  const silent = hindered.find(({ obstacle }) => obstacle === "not_polling");
  const note = silent === undefined ? "" : downMessage(silent, isOnlyOne);
  return `${note} ${capitalized(`${lead}${advised.join(", or ")}`)}.`;
}

/** Until it counts as offline, a killed agent looks like one whose poll loop hangs. */
function downMessage({ count, agents }: Hindered, isOnlyOne: boolean): string {
  const names = listed(agents, "and");
  const subject = isOnlyOne ? "It" : names || "They";
  const counts = count === 1 && subject !== "They" ? "counts" : "count";
  return ` ${subject} may be down, and ${counts} as offline after ${OFFLINE_AFTER_MS / 1_000} s of silence.`;
}

function listed(agents: Hindered["agents"], conjunction: "and" | "or"): string {
  const names = agents.map(({ name }) => name);
  return names.length < 3
    ? names.join(` ${conjunction} `)
    : `${names.slice(0, -1).join(", ")} ${conjunction} ${names.at(-1)}`;
}

function silenceMessage({ name, silentMs }: Hindered["agents"][number]): string {
  if (silentMs === undefined) return `${name} is not asking for jobs`;
  return `${name} does not ask for jobs and was last heard from ${Math.round(silentMs / 1_000)} s ago`;
}

function stateOf(obstacle: Obstacle, { action, testedType, features = [] }: WaitingJob): string {
  const { state } = TEXTS[obstacle];
  if (obstacle === "no_action") return `${state} ${action ?? `connections of type ${testedType}`}`;
  return obstacle === "no_feature" ? `${state} ${features.map((name) => FEATURES[name]).join(" and ")}` : state;
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
