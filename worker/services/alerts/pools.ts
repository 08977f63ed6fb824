import type { PoolView } from "../../../schema/contract/management.ts";
import { ALERT_POOLS_MAX, ALERT_SINGLE_AGENTS_MAX, NOTIFICATION_RULES_MAX } from "../../../schema/limits.ts";
import { inBatches } from "../../actors/kit/outbox.ts";
import type { PoolFacts, PoolsRead } from "../../domain/alerts/conditions.ts";
import { poolsToRead } from "../../domain/alerts/pools-to-read.ts";
import { failureMessage } from "../../store/errors.ts";
import { agentsWithoutPool } from "../../store/metrics.ts";
import { listNotificationRules } from "../../store/notification-rules.ts";
import { viewAgents } from "../agents/index.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { knownPools, viewPool } from "../pools/index.ts";

const CALLS_AT_ONCE = 16;

/** The pools, first those that rules name, and their agents as their dispatchers see them. A pool that does not answer is left out. */
export async function readPools(deps: Deps): Promise<PoolsRead> {
  const [pools, single, rows] = await Promise.all([
    knownPools(deps),
    agentsWithoutPool(deps.db, ALERT_SINGLE_AGENTS_MAX),
    listNotificationRules(deps.db, { beforeId: null, limit: NOTIFICATION_RULES_MAX }),
  ]);
  const rules = rows.map(({ rule }) => rule);
  const ids = poolsToRead(pools.keys(), rules, ALERT_POOLS_MAX);
  const views = await inBatches(ids, CALLS_AT_ONCE, (id) => ifAnswered(async () => toFacts(await viewPool(deps, id))));
  const singles = await inBatches(single, CALLS_AT_ONCE, (row) =>
    ifAnswered(async () => {
      const agents = (await viewAgents(deps, [row])).map(toAgent);
      return { poolId: null, oldestQueuedAt: null, agents };
    }),
  );
  const answers = [...views, ...singles];
  const read = answers.flatMap((facts) => facts ?? []);
  return { pools: read, isComplete: read.length === answers.length };
}

async function ifAnswered(read: () => Promise<PoolFacts>): Promise<PoolFacts | null> {
  try {
    return await read();
  } catch (error) {
    logWarning("a pool did not report its state for notification rules", { error: failureMessage(error) });
    return null;
  }
}

function toFacts({ id, members, waiting }: PoolView): PoolFacts {
  const queued = waiting.map(({ queuedAt }) => Date.parse(queuedAt));
  return {
    poolId: id,
    oldestQueuedAt: queued.length === 0 ? null : Math.min(...queued),
    agents: members.map((member) => toAgent({ ...member, id: member.agentId })),
  };
}

type Agent = Pick<PoolView["members"][number], "name" | "enabled" | "status" | "lastHeartbeatAt"> & { id: string };

/** An agent that never called only has an unfinished set-up. */
function toAgent({ id, name, enabled, status, lastHeartbeatAt }: Agent): PoolFacts["agents"][number] {
  const counts = enabled && lastHeartbeatAt !== null;
  return { id, name, counts, isOffline: status === "Offline", heardAt: Date.parse(lastHeartbeatAt ?? "") };
}
