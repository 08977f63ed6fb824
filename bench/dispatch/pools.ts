import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { onLanes, pick } from "../engine/figures.ts";
import { BenchAgent } from "./bench-agent.ts";
import { POOL_ID, startDispatchService } from "./service.ts";
import type { DispatchService } from "./service.ts";

/** A pool with this many registered agents, in its own workerd. */
export interface FilledPool {
  agents: number;
  service: DispatchService;
  /** Registered over HTTP, spread over the order of registration; in a small pool these are all agents. */
  callers: BenchAgent[];
  /** Registered by the bench worker: the Worker's memory does not have their keys, their sessions vouch for them. */
  others: BenchAgent[];
  /** Resident memory of workerd with one agent, and with all. */
  residentMb: { empty: number | null; filled: number | null };
  filledInSeconds: number;
}

/** A registration over HTTP takes some 10 ms. */
const CALLERS_MAX = 100;
/** Callers are among the first agents and among the last. */
const PORTIONS = 20;
const REGISTERING_AT_ONCE = 4;
const LOOK_EVERY_MS = 100;
const RECORDED_WITHIN_MS = 180_000;
const filledSchema = z.array(z.object({ key: z.string(), session: z.string() }));

export async function fillPool(directory: string, agents: number): Promise<FilledPool> {
  await mkdir(directory, { recursive: true });
  const service = await startDispatchService(directory, { counted: true });
  try {
    const startedAt = performance.now();
    const callers: BenchAgent[] = [await BenchAgent.register(service.url, service.api, POOL_ID)];
    const empty = await service.residentMb();
    const wanted = Math.min(agents, CALLERS_MAX);
    const others: BenchAgent[] = [];
    for (let portion = 1; portion <= PORTIONS; portion += 1) {
      const due = Math.round((wanted * portion) / PORTIONS) - callers.length;
      await onLanes(REGISTERING_AT_ONCE, due, async () => {
        callers.push(await BenchAgent.register(service.url, service.api, POOL_ID));
      });
      const count = Math.round(((agents - wanted) * portion) / PORTIONS) - others.length;
      const filled = count > 0 ? filledSchema.parse(await service.order("fill", { count })) : [];
      others.push(...filled.map((credentials) => BenchAgent.registered(service.url, credentials)));
    }
    await onLanes(REGISTERING_AT_ONCE, callers.length, async (index) => {
      await pick(callers, index).poll();
      await pick(callers, index).heartbeat();
    });
    await recorded(service);
    const filledInSeconds = (performance.now() - startedAt) / 1_000;
    const residentMb = { empty, filled: await service.residentMb() };
    return { agents, service, callers, others, residentMb, filledInSeconds };
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

/**
 * Waits until libSQL has recorded each agent's first report of its credentials. That happens after the calls, and long
 * after them for many agents.
 */
async function recorded(service: DispatchService): Promise<void> {
  const until = performance.now() + RECORDED_WITHIN_MS;
  while ((await service.order("unrecorded")) !== 0) {
    if (performance.now() > until) throw new Error("libSQL did not record the credentials of all agents in time");
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

/**
 * A poll and a heartbeat of each agent: without them the agent counts as idle after 15 s, and as offline after 90 s.
 */
export async function keepCalling(pool: FilledPool): Promise<void> {
  for (const caller of pool.callers) {
    await caller.poll();
    await caller.heartbeat();
  }
  await pool.service.order("heartbeats");
}
