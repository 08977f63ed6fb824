import type { PoolView } from "../../../schema/contract/management.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { poolObjectOf } from "../objects.ts";
import { reach } from "../unavailable.ts";
import { knownPools } from "./list.ts";

/** A pool's members with status and health, its queue, and why each job waits. */
export async function getPool(deps: Deps, poolId: string): Promise<PoolView> {
  if (!(await knownPools(deps)).has(poolId)) throw notFound("pool", poolId);
  return viewPool(deps, poolId);
}

/** The same for a pool that is known to exist. */
export function viewPool(deps: Deps, poolId: string): Promise<PoolView> {
  const dispatcher = deps.objects.dispatcher(poolObjectOf({ id: "", poolId }));
  return reach("The pool does not answer.", () => dispatcher.view(poolId));
}
