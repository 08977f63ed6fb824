import { z } from "zod";
import { latencyOf, pick, timed } from "../engine/figures.ts";
import { measureChoice } from "./choice.ts";
import { keepCalling } from "./pools.ts";
import type { FilledPool } from "./pools.ts";
import type { DispatchService } from "./service.ts";

/** The same calls of pools of different sizes, alternating, each pool in its own workerd. */
export interface PoolScale {
  pools: PoolFigures[];
  /** The larger pools' figures divided by the smallest pool's: calls over HTTP, and the choice of an agent. */
  ratios: { agents: number; poll: number; heartbeat: number; dispatch: number; choice: number }[];
}

export interface PoolFigures {
  agents: number;
  /** Over HTTP, by an idle agent whose verified key is in the Worker's memory. */
  poll: Call;
  heartbeat: Call;
  /** The same poll when the key is not in memory and the session vouches for it; null where memory has all keys. */
  pollKeyNotKept: Call | null;
  /** From the order of a job to the stored choice of its agent: one RPC. */
  dispatch: Call;
  /** The choice alone: the rule and its list, in this process. */
  choiceMicros: number;
  /** Resident memory of workerd with one agent, and with all; null where the system does not report it. */
  residentMb: { empty: number | null; filled: number | null };
  filledInSeconds: number;
}
interface Call {
  p50Ms: number;
  p99Ms: number;
}

/** The limit for the ratios. */
export const RATIO_MAX = 1.3;

const ROUNDS = 15;
const CALLS_PER_ROUND = 100;
const WARM_UP = 200;
/** All agents call before each round, as in a working pool. */
const DISPATCH_ROUNDS = 4;
const DISPATCH_TURNS = 4;
/** Fewer than the capacity of a pool of ten. */
const JOBS_PER_ROUND = 20;

export async function measurePools(pools: readonly FilledPool[]): Promise<PoolScale> {
  const taken = pools.map((pool) => ({
    pool,
    callers: pool.callers,
    poll: new Array<number>(),
    heartbeat: new Array<number>(),
    dispatch: new Array<number>(),
  }));
  for (const { pool, callers } of taken) {
    await keepCalling(pool);
    for (let i = 0; i < WARM_UP; i += 1) await pick(callers, i).poll();
    for (let i = 0; i < WARM_UP; i += 1) await pick(callers, i).heartbeat();
    await dispatchSome(pool.service);
  }
  // All take turns, so that the machine's other work affects each alike.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { callers, poll } of taken) {
      for (let i = 0; i < CALLS_PER_ROUND; i += 1) poll.push(await timed(() => pick(callers, i).poll()));
    }
    for (const { callers, heartbeat } of taken) {
      for (let i = 0; i < CALLS_PER_ROUND; i += 1) heartbeat.push(await timed(() => pick(callers, i).heartbeat()));
    }
  }
  for (let round = 0; round < DISPATCH_ROUNDS; round += 1) {
    for (const { pool } of taken) await keepCalling(pool);
    for (let turn = 0; turn < DISPATCH_TURNS; turn += 1) {
      for (const { pool, dispatch } of taken) dispatch.push(...(await dispatchSome(pool.service)));
    }
  }
  const figures: PoolFigures[] = [];
  for (const { pool, poll, heartbeat, dispatch } of taken) {
    figures.push({
      agents: pool.agents,
      poll: latencyOf(poll),
      heartbeat: latencyOf(heartbeat),
      pollKeyNotKept: await pollKeyNotKept(pool),
      dispatch: latencyOf(dispatch),
      choiceMicros: measureChoice(pool.agents),
      residentMb: pool.residentMb,
      filledInSeconds: pool.filledInSeconds,
    });
  }
  return { pools: figures, ratios: ratiosOf(figures) };
}

/** Jobs in sequence; each must end up reserved for an agent. */
async function dispatchSome(service: DispatchService): Promise<number[]> {
  const jobIds: string[] = [];
  const took: number[] = [];
  for (let i = 0; i < JOBS_PER_ROUND; i += 1) {
    took.push(
      await timed(async () => {
        const answer = await service.order("enqueue", { count: 1, connection: service.connectionId });
        jobIds.push(...z.array(z.string()).parse(answer));
      }),
    );
  }
  const states = z.array(z.object({ status: z.string() })).parse(await service.order("states", {}, jobIds));
  if (states.length !== jobIds.length || states.some(({ status }) => status !== "assigned")) {
    throw new Error(`jobs were not given to agents: ${JSON.stringify(states)}`);
  }
  await service.order("cancel", {}, jobIds);
  return took;
}

async function pollKeyNotKept({ others }: FilledPool): Promise<Call | null> {
  if (others.length === 0) return null;
  const took: number[] = [];
  for (let i = 0; i < WARM_UP; i += 1) await pick(others, i).poll();
  for (let i = 0; i < ROUNDS * CALLS_PER_ROUND; i += 1) took.push(await timed(() => pick(others, i).poll()));
  return latencyOf(took);
}

function ratiosOf(figures: readonly PoolFigures[]): PoolScale["ratios"] {
  const [smallest, ...larger] = figures;
  if (smallest === undefined) return [];
  return larger.map(({ agents, poll, heartbeat, dispatch, choiceMicros }) => ({
    agents,
    poll: poll.p50Ms / smallest.poll.p50Ms,
    heartbeat: heartbeat.p50Ms / smallest.heartbeat.p50Ms,
    dispatch: dispatch.p50Ms / smallest.dispatch.p50Ms,
    choice: choiceMicros / smallest.choiceMicros,
  }));
}
