import { listPools as operation } from "../../../schema/contract/api/pools.ts";
import type { PoolSummary } from "../../../schema/contract/management.ts";
import { countPoolAgents } from "../../store/agents.ts";
import { connectionPoolIds } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";

/** Every pool that an agent or a connection names, by id. */
export async function listPools(deps: Deps, query: unknown): Promise<Page<PoolSummary>> {
  const { limit, beforeId } = parsePage("pool", operation, query);
  const pools = await knownPools(deps);
  const rest = [...pools]
    .map(([id, agentCount]) => ({ id, agentCount }))
    .filter(({ id }) => beforeId === null || id > beforeId)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  return toPage(rest, limit, (pool) => pool.id);
}

/** Pools by id, with the number of their agents. */
export async function knownPools(deps: Deps): Promise<Map<string, number>> {
  const [counted, named] = await Promise.all([countPoolAgents(deps.db), connectionPoolIds(deps.db)]);
  const pools = new Map(named.map((id) => [id, 0]));
  for (const { poolId, agentCount } of counted) pools.set(poolId, agentCount);
  return pools;
}
