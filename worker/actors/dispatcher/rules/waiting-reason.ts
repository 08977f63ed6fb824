import type { AgentFeature } from "../../../../schema/contract/agent.ts";
import { compareCandidates, obstacleFor } from "./candidate.ts";
import type { Waiting, WaitingCode } from "../../../../schema/contract/waiting.ts";
import { OFFLINE_AFTER_MS } from "../../../../schema/limits.ts";
import { wayOut } from "../../../domain/credential/way-out.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { Obstacle, SecretsMismatch, Candidate, WaitingJob } from "./candidate.ts";

interface Words {
  /** For one agent, `web-1 is …`; for several, counted: `2 …`. */
  readonly state: string;
  /** What to do, for one agent and for several; absent where waiting, or a credential, is all there is to it. */
  readonly advice?: readonly [one: string, several: string];
}

const WORDS: Record<Obstacle, Words> = {
  other_agent: { state: "not its agent" },
  never_started: { state: "never started", advice: ["Start it with its key.", "Start one with its key."] },
  disabled: { state: "disabled", advice: ["Enable it.", "Enable one."] },
  offline: { state: "offline", advice: ["Start it.", "Start one."] },
  rekeyed: {
    state: "without their new keys",
    advice: ["Give it the new key.", "Give one its new key."],
  },
  draining: { state: "shutting down", advice: ["Start it again.", "Start one."] },
  no_feature: { state: "too old for", advice: ["Update it.", "Update one."] },
  no_action: { state: "too old for", advice: ["Update it.", "Update one."] },
  no_credential: { state: "without the connection's credential" },
  no_secrets: { state: "without the secrets that its script gets" },
  unbound: { state: "holding the connection's credential, which is bound to no target" },
  other_target: { state: "holding the connection's credential for another target" },
  delivered_before: { state: "holding the connection's credential for its former target" },
  secrets_unbound: { state: "holding the secrets that its script gets, which are bound to no target" },
  secrets_other_target: { state: "holding the secrets that its script gets for another target" },
  secrets_delivered_before: { state: "holding the secrets that its script gets for their former target" },
  not_polling: {
    state: "not asking for jobs",
    advice: [
      `It counts as offline after ${OFFLINE_AFTER_MS / 1_000} s without a sign of life. Restart it.`,
      "They may be down: restart one.",
    ],
  },
  full: { state: "busy with as many jobs as it may run" },
};

/** What an agent without the feature is too old for. */
const FEATURES = {
  namedValues: "named values",
  boundCredentials: "credentials with targets",
  boundWorkflows: "credentials that are for certain workflows",
} as const satisfies Record<AgentFeature, string>;

const SECRETS_MISMATCH = {
  secrets_unbound: "unbound",
  secrets_other_target: "other_target",
  secrets_delivered_before: "delivered_before",
} as const satisfies Record<SecretsMismatch, TargetMismatch>;
const MISMATCHES: ReadonlySet<string> = new Set<TargetMismatch>(Object.values(SECRETS_MISMATCH));

/** What a job waits for in its dispatcher. */
export type WaitingReason = Waiting & { readonly code: WaitingCode };

/**
 * Why a job waits (design 4: "why each job waits"); of several obstacles the code is that of the most frequent one.
 * `others` are agents that are not among `candidates`, counted by why they cannot take it; `onlyName` is the pool's one agent,
 * when it has no more.
 */
export function waitingReason(
  job: WaitingJob,
  candidates: readonly Candidate[],
  others: ReadonlyMap<Obstacle, number> = new Map(),
  onlyName: string | null = null,
): WaitingReason {
  if (job.pinnedAgentId !== null) return pinnedReason(job, job.pinnedAgentId, candidates);
  const counts = new Map([...others].filter(([, count]) => count > 0));
  if (candidates.length + counts.size === 0) {
    return { code: "no_agent", detail: "The pool has no agent yet: create one in it, and start it." };
  }
  let taker: Candidate | null = null;
  for (const candidate of candidates) {
    if (candidate.agentId === job.reservedFor) return nextPoll(candidate);
    const obstacle = obstacleFor(job, candidate);
    if (obstacle !== null) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    else if (taker === null || compareCandidates(candidate, taker) < 0) taker = candidate;
  }
  if (taker !== null) return nextPoll(taker);
  const most = [...counts].toSorted((a, b) => b[1] - a[1]);
  const name = onlyName ?? (candidates.length === 1 && others.size === 0 ? candidates[0]?.name : undefined);
  const [first] = most;
  const parts =
    name !== undefined && first !== undefined
      ? [`${name} ${predicateOf(first[0], job, candidates[0])}`]
      : most.map(([obstacle, count]) => `${count} ${wordsOf(obstacle, job)}`);
  const advice = adviceFor(job, new Map(most), name === undefined);
  return {
    code: first === undefined ? "no_agent" : codeOf(first[0]),
    detail: `No agent of the pool can take it: ${parts.join(", ")}.${advice}`,
  };
}

function pinnedReason(job: WaitingJob, agentId: string, candidates: readonly Candidate[]): WaitingReason {
  const candidate = candidates.find((candidate) => candidate.agentId === agentId);
  if (candidate === undefined) {
    return { code: "never_started", detail: "Its agent has never started: install it with its key, and start it." };
  }
  const obstacle = obstacleFor(job, candidate);
  if (obstacle === null || job.reservedFor === agentId) return nextPoll(candidate);
  const predicate = obstacle === "never_started" ? "is not started yet" : predicateOf(obstacle, job, candidate);
  return {
    code: codeOf(obstacle),
    agents: agentsOf(candidate),
    detail: `Its agent ${candidate.name} ${predicate}.${adviceFor(job, new Map([[obstacle, 1]]), false)}`,
  };
}

/** An agent that must not use its credential counts as one without it, and one without its new key as offline. */
function codeOf(obstacle: Obstacle): WaitingCode {
  if (isMismatch(obstacle)) return "no_credential";
  if (isSecretsMismatch(obstacle)) return "no_secrets";
  return obstacle === "rekeyed" ? "offline" : obstacle;
}

function wordsOf(obstacle: Obstacle, { action, testedType, features = [] }: WaitingJob): string {
  if (obstacle === "no_action") return `${WORDS[obstacle].state} ${action ?? `connections of type ${testedType}`}`;
  if (obstacle !== "no_feature") return WORDS[obstacle].state;
  return `${WORDS[obstacle].state} ${features.map((feature) => FEATURES[feature]).join(" and ")}`;
}

/** Of one agent: an agent that was killed looks like one whose poll loop hangs, until it counts as offline. */
function predicateOf(obstacle: Obstacle, job: WaitingJob, candidate: Candidate | undefined): string {
  if (obstacle === "rekeyed") return "got a new key and has not called with it yet";
  const silentMs = candidate?.silentMs;
  if (obstacle === "not_polling" && silentMs !== undefined) {
    return `does not ask for jobs and was last heard ${Math.round(silentMs / 1_000)} s ago: it may be down`;
  }
  return `${obstacle === "never_started" ? "was" : "is"} ${wordsOf(obstacle, job)}`;
}

/**
 * What to do, the most frequent obstacle first in `counts`. A credential comes before all: the agent that lacks it is
 * there. The job's own connection may need none at all: then it is the other one that lacks it.
 */
function adviceFor(
  { connectionId, secretsFrom }: WaitingJob,
  counts: ReadonlyMap<Obstacle, number>,
  several: boolean,
): string {
  const missing = [
    ...(counts.has("no_credential") ? [connectionId] : []),
    ...(counts.has("no_secrets") && secretsFrom !== undefined ? [secretsFrom] : []),
  ];
  const unusable = new Map<string, TargetMismatch>();
  for (const obstacle of counts.keys()) {
    const id = isSecretsMismatch(obstacle) ? secretsFrom : connectionId;
    const mismatch = isSecretsMismatch(obstacle) ? SECRETS_MISMATCH[obstacle] : obstacle;
    if (!isMismatch(mismatch) || id === undefined || missing.includes(id) || unusable.has(id)) continue;
    unusable.set(id, mismatch);
  }
  if (missing.length + unusable.size > 0) {
    return [
      ...(missing.length === 0 ? [] : [`Deliver the credential of connection ${missing.join(" and of ")}.`]),
      ...[...unusable].map(([id, mismatch]) => wayOut(mismatch, id, `the credential of connection ${id}`)),
    ]
      .map((sentence) => ` ${sentence}`)
      .join("");
  }
  const [obstacle] = counts.keys();
  const advice = obstacle === undefined ? undefined : WORDS[obstacle].advice;
  return advice === undefined ? "" : ` ${advice[several ? 1 : 0]}`;
}

function isMismatch(obstacle: Obstacle): obstacle is TargetMismatch {
  return MISMATCHES.has(obstacle);
}

function isSecretsMismatch(obstacle: Obstacle): obstacle is SecretsMismatch {
  return Object.hasOwn(SECRETS_MISMATCH, obstacle);
}

function nextPoll(candidate: Candidate): WaitingReason {
  return {
    code: "next_poll",
    agents: agentsOf(candidate),
    detail: `Agent ${candidate.name} gets it with its next poll.`,
  };
}

function agentsOf({ agentId, name }: Candidate): Waiting["agents"] {
  return [{ id: agentId, name }];
}
