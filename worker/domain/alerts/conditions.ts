import type { NotificationRuleInput, RuleEvent } from "../../../schema/contract/notification-rule.ts";
import type { AlertLine } from "./event.ts";
import { shownTime } from "../shown-time.ts";

const MINUTE_MS = 60_000;

/** A pool, or an agent without one. Times are epoch milliseconds. */
export interface PoolFacts {
  readonly poolId: string | null;
  /** When the longest waiting job was ordered; null when none waits. */
  readonly oldestQueuedAt: number | null;
  readonly agents: readonly {
    readonly id: string;
    readonly name: string;
    /** Enabled, and it has called before. */
    readonly counts: boolean;
    readonly isOffline: boolean;
    readonly heardAt: number;
  }[];
}

export interface PoolsRead {
  readonly pools: readonly PoolFacts[];
  /** Pools, and agents that are enabled or have no pool, that were not read: it was not their turn, or they did not answer. */
  readonly unread: { readonly poolIds: readonly string[]; readonly agentIds: readonly string[] };
}

/** Something that lasts: whether it holds now, and since when. */
export interface Condition {
  readonly on: RuleEvent;
  readonly key: string;
  readonly poolId: string | null;
  /** Null while it does not hold. */
  readonly since: number | null;
  readonly begins: string;
  readonly ends: string;
  readonly path: string | null;
}

export type LastingRule = Extract<NotificationRuleInput, { minutes: number }>;

/** The conditions of the pools that were read, whether they hold or not. */
export function conditionsOf(pools: readonly PoolFacts[]): Condition[] {
  return pools.flatMap((pool) => [...ofAgents(pool), ...ofPool(pool), ...ofQueue(pool)]);
}

function ofAgents({ poolId, agents }: PoolFacts): Condition[] {
  const counted = agents.filter(({ counts }) => counts);
  return counted.map(({ id, name, isOffline, heardAt }): Condition => ({
    on: "agent_offline",
    key: agentKey(id),
    poolId,
    since: isOffline ? heardAt : null,
    begins: `The agent "${name}" is offline`,
    ends: `The agent "${name}" is online again`,
    path: `/agents/${id}`,
  }));
}

/** None for a pool whose agents are all switched off: it is neither offline nor online. */
function ofPool({ poolId, agents }: PoolFacts): Condition[] {
  const counted = agents.filter(({ counts }) => counts);
  if (poolId === null || counted.length === 0) return [];
  const areOffline = counted.every(({ isOffline }) => isOffline);
  return [
    {
      on: "pool_offline",
      key: poolKey(poolId),
      poolId,
      since: areOffline ? Math.max(...counted.map(({ heardAt }) => heardAt)) : null,
      begins: `All agents of the pool "${poolId}" are offline`,
      ends: `The pool "${poolId}" has an online agent again`,
      path: `/pools/${poolId}`,
    },
  ];
}

function ofQueue({ poolId, oldestQueuedAt: since, agents }: PoolFacts): Condition[] {
  const queue = { on: "queue_old", poolId, since } as const;
  if (poolId !== null) {
    const where = `in the pool "${poolId}"`;
    return [{ ...queue, key: queueKey(poolId), ...queueTexts(where), path: `/pools/${poolId}` }];
  }
  return agents.map(({ id, name }) => {
    const where = `for the agent "${name}"`;
    return { ...queue, key: queueKey(agentKey(id)), ...queueTexts(where), path: `/agents/${id}` };
  });
}

function queueTexts(where: string) {
  return { begins: `A job waits too long ${where}`, ends: `No job waits too long ${where}` };
}

/** The keys of the conditions that agents and pools can have. */
export function keysOfUnread({ poolIds, agentIds }: PoolsRead["unread"]): string[] {
  return [
    ...poolIds.flatMap((id) => [poolKey(id), queueKey(id)]),
    ...agentIds.flatMap((id) => [agentKey(id), queueKey(agentKey(id))]),
  ];
}

const agentKey = (id: string) => `agent:${id}`;
const poolKey = (id: string) => `pool:${id}`;
/** `place` is a pool's id, or the key of an agent without a pool; no pool's id has a colon. */
const queueKey = (place: string) => `queue:${place}`;

/** A database that has not answered since a time (epoch ms); null when it answers. */
export function databaseCondition(since: number | null): Condition {
  return {
    on: "database_trouble",
    key: "database",
    poolId: null,
    since,
    begins: "The service cannot read its database",
    ends: "The service can read its database again",
    path: null,
  };
}

/** What a rule reports of a condition now. `reportedAt` is when it was reported as lasting; null when it was not. */
export function judgeCondition(
  { minutes }: LastingRule,
  condition: Condition,
  reportedAt: number | null,
  now: number,
): { change: "begins" | "ends"; line: AlertLine } | null {
  const { since, begins, ends, path } = condition;
  if (reportedAt === null) {
    if (since === null || now - since < minutes * MINUTE_MS) return null;
    return { change: "begins", line: { at: now, subject: begins, details: [`Since ${shownTime(since)}.`], path } };
  }
  if (!isOver(condition, { minutes, reportedAt, now })) return null;
  return {
    change: "ends",
    line: { at: now, subject: ends, details: [`It was reported at ${shownTime(reportedAt)}.`], path },
  };
}

/**
 * A queue's oldest job changes all the time: the queue is in order again once those that waited when it was reported
 * are gone, and no other has waited half as long as the rule allows.
 */
function isOver(
  { on, since }: Condition,
  { minutes, reportedAt, now }: { minutes: number; reportedAt: number; now: number },
): boolean {
  if (since === null) return true;
  return on === "queue_old" && since > reportedAt && now - since < (minutes * MINUTE_MS) / 2;
}

/** The rule, when it is about the condition; null otherwise. */
export function lastingRule(rule: NotificationRuleInput, { on, poolId }: Condition): LastingRule | null {
  if (rule.on !== on || !("minutes" in rule)) return null;
  const named = "poolIds" in rule ? rule.poolIds : undefined;
  return named === undefined || (poolId !== null && named.includes(poolId)) ? rule : null;
}
