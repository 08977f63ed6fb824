import type { PoolView } from "../../../schema/contract/management.ts";
import { ALERT_POOLS_MAX, ALERT_SINGLE_AGENTS_MAX, NOTIFICATION_RULES_MAX } from "../../../schema/limits.ts";
import { inBatches } from "../../actors/kit/outbox.ts";
import { withTimeout } from "../../actors/kit/with-timeout.ts";
import type { PoolFacts, PoolsRead } from "../../domain/alerts/conditions.ts";
import { byTurns, poolsToRead } from "../../domain/alerts/pools-to-read.ts";
import { presentAgents } from "../../store/alert-facts.ts";
import { failureMessage } from "../../store/errors.ts";
import { listNotificationRules } from "../../store/notification-rules.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { poolObjectOf } from "../objects.ts";
import { knownPools } from "../pools/index.ts";

const CALLS_AT_ONCE = 16;
const CALL_LIMIT_MS = 3_000;
const MINUTE_MS = 60_000;

/** A pool, or an agent without one. */
interface Place {
  readonly id: string;
  readonly poolId: string | null;
}

/** Pools and agents without one, with their agents and queues as their dispatchers see them. */
export async function readPools(deps: Deps): Promise<PoolsRead> {
  const [known, agents, rows] = await Promise.all([
    knownPools(deps),
    presentAgents(deps.db),
    listNotificationRules(deps.db, { beforeId: null, limit: NOTIFICATION_RULES_MAX }),
  ]);
  const turn = Math.floor(deps.now() / MINUTE_MS);
  const rules = rows.map(({ rule }) => rule);
  const single = agents.filter(({ poolId }) => poolId === null);
  const poolIds = poolsToRead(known.keys(), rules, { limit: ALERT_POOLS_MAX, turn });
  const places: Place[] = [
    ...poolIds.map((poolId) => ({ id: poolId, poolId })),
    ...byTurns(single, { limit: ALERT_SINGLE_AGENTS_MAX, turn }),
  ];
  const read = await inBatches(places, CALLS_AT_ONCE, (place) => readPlace(deps, place));
  const answered = new Set(places.filter((_, n) => read[n] !== null).map(poolObjectOf));
  const isUnread = (place: Place) => !answered.has(poolObjectOf(place));
  return {
    pools: read.flatMap((facts) => facts ?? []),
    unread: {
      poolIds: [...known.keys()].filter((poolId) => isUnread({ id: poolId, poolId })),
      agentIds: agents.flatMap((agent) =>
        (agent.enabled || agent.poolId === null) && isUnread(agent) ? agent.id : [],
      ),
    },
  };
}

/** Null for one that does not answer. */
async function readPlace({ objects }: Deps, place: Place): Promise<PoolFacts | null> {
  const poolObject = poolObjectOf(place);
  try {
    const call = objects.dispatcher(poolObject).view(place.id);
    return toFacts(place.poolId, await withTimeout(CALL_LIMIT_MS, "reading a pool for rules", call));
  } catch (error) {
    const fields = { poolObject, error: failureMessage(error) };
    logWarning("a pool did not report its state for notification rules", fields);
    return null;
  }
}

function toFacts(poolId: string | null, { members, waiting }: PoolView): PoolFacts {
  const queued = waiting.map(({ queuedAt }) => Date.parse(queuedAt));
  return {
    poolId,
    oldestQueuedAt: queued.length === 0 ? null : Math.min(...queued),
    agents: members.map(toAgent),
  };
}

/** An agent that never called only has an unfinished set-up. */
function toAgent(member: PoolView["members"][number]): PoolFacts["agents"][number] {
  const { agentId: id, name, enabled, status, lastHeartbeatAt } = member;
  const counts = enabled && lastHeartbeatAt !== null;
  return { id, name, counts, isOffline: status === "Offline", heardAt: Date.parse(lastHeartbeatAt ?? "") };
}
