import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { onLanes, pick } from "../engine/figures.ts";
import { BenchAgent } from "./bench-agent.ts";
import { POOL_ID, startDispatchService } from "./service.ts";
import type { DispatchService } from "./service.ts";

/** A pool with that many registered agents, in a workerd of its own. */
export interface FilledPool {
  agents: number;
  service: DispatchService;
  /**
   * Those that call over HTTP, each with a key of its own, spread over the order in which agents came; in a small pool
   * all of them.
   */
  callers: BenchAgent[];
  /** Resident memory of workerd with one agent, and with all. */
  residentMb: { empty: number | null; filled: number | null };
  /** Registering costs bcrypt: what it took for all callers. */
  filledInSeconds: number;
}

/** Up to so many agents register as any agent does; of more, one in so many. */
export const ALL_CALL_UP_TO = 1_000;
/** More than the service keeps verified keys of, in a large pool: what a call costs whose key is not kept. */
const CALLERS_OF_LARGE = 1_200;
const REGISTERING_AT_ONCE = 4;
const KEPT_KEYS = 100;
const QUIET_LOOKS = 3;
const LOOK_EVERY_MS = 100;

export async function fillPool(directory: string, agents: number): Promise<FilledPool> {
  await mkdir(directory, { recursive: true });
  const service = await startDispatchService(directory, { counted: true });
  try {
    const startedAt = performance.now();
    const callers: BenchAgent[] = [await BenchAgent.register(service.url, service.api, POOL_ID)];
    const empty = await service.residentMb();
    const wanted = agents <= ALL_CALL_UP_TO ? agents : CALLERS_OF_LARGE;
    // In portions, so that callers stand among the first and among the last.
    const portions = agents <= ALL_CALL_UP_TO ? 1 : 20;
    const others = agents - wanted;
    for (let portion = 0; portion < portions; portion += 1) {
      const due = Math.round((wanted * (portion + 1)) / portions) - callers.length;
      await onLanes(REGISTERING_AT_ONCE, due, async () => {
        callers.push(await BenchAgent.register(service.url, service.api, POOL_ID));
      });
      const count = Math.round((others * (portion + 1)) / portions) - Math.round((others * portion) / portions);
      if (count > 0) await service.order("fill", { count });
      await quiet(service);
    }
    await onLanes(REGISTERING_AT_ONCE, callers.length, async (index) => {
      await pick(callers, index).poll();
      await pick(callers, index).heartbeat();
    });
    await quiet(service);
    const filledInSeconds = (performance.now() - startedAt) / 1_000;
    return { agents, service, callers, residentMb: { empty, filled: await service.residentMb() }, filledInSeconds };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

export async function fillPools(directory: string, sizes: readonly number[]): Promise<FilledPool[]> {
  const pools: FilledPool[] = [];
  try {
    for (const agents of sizes) pools.push(await fillPool(join(directory, `pool-${agents}`), agents));
    return pools;
  } catch (error) {
    for (const { service } of pools) await service.stop();
    throw error;
  }
}

/** Every agent's first word of its credentials goes to libSQL: beside the calls, and long after them when many came. */
async function quiet({ proxy }: DispatchService): Promise<void> {
  for (let still = 0; still < QUIET_LOOKS; still += 1) {
    await Bun.sleep(LOOK_EVERY_MS);
    if ((proxy?.take().requests ?? 0) > 0) still = 0;
  }
}

/**
 * A poll and a heartbeat of each agent: without them it counts as one that asks for nothing, after 15 s, and as offline,
 * after 90 s. Of a large pool's callers, those alone whose keys the Worker keeps.
 */
export async function keepCalling(pool: FilledPool): Promise<void> {
  for (const caller of pool.callers.length === pool.agents ? pool.callers : keptCallers(pool)) {
    await caller.poll();
    await caller.heartbeat();
  }
  await pool.service.order("heartbeats");
}

/** Callers from everywhere in the order in which agents came, few enough that the Worker keeps all their verified keys. */
export function keptCallers({ callers }: FilledPool): BenchAgent[] {
  const step = Math.max(1, Math.floor(callers.length / KEPT_KEYS));
  return callers.filter((_, index) => index % step === 0);
}
