import { compareCandidates, obstacleFor } from "./candidate.ts";
import type { Waiting, WaitingCode } from "../../../../schema/contract/waiting.ts";
import { wayOut } from "../../../domain/credential/way-out.ts";
import type { TargetMismatch } from "../../../domain/credential/usable.ts";
import type { Obstacle, SecretsMismatch, Candidate, PooledJob, WaitingJob } from "./candidate.ts";
import { adviceOn, obstacleMessage } from "./obstacle-messages.ts";
import type { Hindered } from "./obstacle-messages.ts";

/** Up to this many agents of a pool are named; more are counted. */
export const NAMED_AGENTS_MAX = 3;

const SECRETS_MISMATCH = {
  secrets_unbound: "unbound",
  secrets_other_target: "other_target",
  secrets_delivered_before: "delivered_before",
} as const satisfies Record<SecretsMismatch, TargetMismatch>;
const MISMATCHES: ReadonlySet<string> = new Set<TargetMismatch>(Object.values(SECRETS_MISMATCH));

/** Why a job waits in its dispatcher. */
export type WaitingReason = Waiting & { readonly code: WaitingCode };

/**
 * Why a job waits (docs/design/dispatch.md#waiting-reasons). Of several obstacles the most frequent gives the code.
 * `others` counts agents that are not among `candidates`, by obstacle.
 */
export function waitingReason(
  job: PooledJob,
  candidates: readonly Candidate[],
  others: ReadonlyMap<Obstacle, number> = new Map(),
): WaitingReason {
  if (job.pinnedAgentId !== null) return pinnedReason(job, job.pinnedAgentId, candidates);
  const counts = new Map([...others].filter(([, count]) => count > 0));
  if (candidates.length + counts.size === 0) {
    const pool = job.poolObject.replace(/^pool:/u, "");
    const detail = `The pool ${pool} has no agent yet. Create one in it and start it, or correct the connection's pool.`;
    return { code: "no_agent", detail };
  }
  const areNamed = counts.size === 0 && candidates.length <= NAMED_AGENTS_MAX;
  const named = new Map<Obstacle, Candidate[]>();
  let taker: Candidate | null = null;
  for (const candidate of candidates) {
    if (candidate.agentId === job.reservedFor) return nextPoll(candidate);
    const obstacle = obstacleFor(job, candidate);
    if (obstacle === null) {
      if (taker === null || compareCandidates(candidate, taker) < 0) taker = candidate;
      continue;
    }
    counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1);
    if (areNamed) named.set(obstacle, [...(named.get(obstacle) ?? []), candidate]);
  }
  if (taker !== null) return nextPoll(taker);
  const hindered = [...counts]
    .toSorted((a, b) => b[1] - a[1])
    .map(([obstacle, count]) => ({ obstacle, count, agents: named.get(obstacle) ?? [] }));
  const [first] = hindered;
  const parts = hindered.map((some) => obstacleMessage(some, job));
  return {
    code: first === undefined ? "no_agent" : codeOf(first.obstacle),
    detail: `No agent of the pool can take it: ${parts.join(", ")}.${adviceFor(job, hindered)}`,
  };
}

function pinnedReason(job: WaitingJob, agentId: string, candidates: readonly Candidate[]): WaitingReason {
  const candidate = candidates.find((candidate) => candidate.agentId === agentId);
  if (candidate === undefined) {
    return { code: "never_started", detail: "Its agent has never started: install it with its key, and start it." };
  }
  const obstacle = obstacleFor(job, candidate);
  if (obstacle === null || job.reservedFor === agentId) return nextPoll(candidate);
  const hindered = { obstacle, count: 1, agents: [candidate] };
  const message =
    obstacle === "never_started" ? `${candidate.name} is not started yet` : obstacleMessage(hindered, job);
  return {
    code: codeOf(obstacle),
    agents: agentsOf(candidate),
    detail: `Its agent ${message}.${adviceFor(job, [hindered])}`,
  };
}

/** An agent that must not use its credential counts as one without it, and one without its new key as offline. */
function codeOf(obstacle: Obstacle): WaitingCode {
  if (isMismatch(obstacle)) return "no_credential";
  if (isSecretsMismatch(obstacle)) return "no_secrets";
  return obstacle === "rekeyed" ? "offline" : obstacle;
}

interface HinderedCandidates extends Hindered {
  readonly agents: readonly Candidate[];
}

/**
 * What to do; `hindered` has the most frequent obstacle first. A missing or unusable credential comes first, because an
 * agent is there. When the job's own connection needs none, the one in `secretsFrom` is meant.
 */
function adviceFor(job: WaitingJob, hindered: readonly HinderedCandidates[]): string {
  const { connectionId, secretsFrom } = job;
  const obstacles = new Set(hindered.map(({ obstacle }) => obstacle));
  const missing = [
    ...(obstacles.has("no_credential") ? [connectionId] : []),
    ...(obstacles.has("no_secrets") && secretsFrom !== undefined ? [secretsFrom] : []),
  ];
  const unusable = new Map<string, TargetMismatch>();
  for (const obstacle of obstacles) {
    const id = isSecretsMismatch(obstacle) ? secretsFrom : connectionId;
    const mismatch = isSecretsMismatch(obstacle) ? SECRETS_MISMATCH[obstacle] : obstacle;
    if (!isMismatch(mismatch) || id === undefined || missing.includes(id) || unusable.has(id)) continue;
    unusable.set(id, mismatch);
  }
  if (missing.length + unusable.size > 0) {
    const isOptional = (id: string | undefined) => job.credentialIsOptional === true && id === connectionId;
    const orWithdraw = missing.length === 1 && isOptional(missing[0]) ? ", or withdraw it if its jobs need none" : "";
    const deliver = [
      ...(missing.length === 0
        ? []
        : [`Deliver the credential of connection ${missing.join(" and of ")}${orWithdraw}.`]),
      ...[...unusable].map(([id, mismatch]) => {
        const withdraw = ` Or withdraw it if its jobs need none (DELETE /connections/${id}/credentials).`;
        return wayOut(mismatch, id, `the credential of connection ${id}`) + (isOptional(id) ? withdraw : "");
      }),
    ]
      .map((sentence) => ` ${sentence}`)
      .join("");
    return deliver + adviceOn(holdersAmong(job, hindered), false, "or ");
  }
  const areNamed = hindered.every(({ agents }) => agents.length > 0);
  const isOnlyOne = areNamed && hindered.length === 1 && hindered[0]?.count === 1;
  return adviceOn(areNamed ? hindered : hindered.slice(0, 1), isOnlyOne);
}

/** The named agents that have what the job needs and are hindered by something else. */
function holdersAmong(
  { needsCredential, connectionId, secretsFrom }: WaitingJob,
  hindered: readonly HinderedCandidates[],
): HinderedCandidates[] {
  const needed = [...(needsCredential ? [connectionId] : []), ...(secretsFrom === undefined ? [] : [secretsFrom])];
  return hindered.flatMap(({ obstacle, agents }) => {
    const holders = agents.filter(({ credentials }) => needed.every((id) => credentials.has(id)));
    return holders.length === 0 ? [] : [{ obstacle, count: holders.length, agents: holders }];
  });
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
    detail: `Agent ${candidate.name} gets the job with its next poll.`,
  };
}

function agentsOf({ agentId, name }: Candidate): Waiting["agents"] {
  return [{ id: agentId, name }];
}
