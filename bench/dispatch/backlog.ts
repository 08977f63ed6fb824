import { z } from "zod";
import { latencyOf, pick, timed } from "../engine/figures.ts";
import { POOL_ID } from "./service.ts";
import { keepCalling } from "./pools.ts";
import type { FilledPool } from "./pools.ts";

/** The time of a poll without a job while other agents' jobs wait in the same pool. */
export interface BacklogFigure {
  waiting: number;
  p50Ms: number;
  p99Ms: number;
  /** Compared with the poll while no jobs wait. */
  ratio: number;
}

const SIZES = [0, 10_000, 100_000] as const;
const POLLS = 600;
const WARM_UP = 200;
const JOBS_PER_CALL = 1_000;
/** The connections of new jobs are checked soon after the jobs arrive; the measurement leaves that out. */
const SETTLE_MS = 5_000;

/** The jobs are for an agent that never comes. The pool cannot be used for other measurements afterwards. */
export async function measureBacklog(pool: FilledPool): Promise<BacklogFigure[]> {
  const { service, callers } = pool;
  const { agent } = await service.api.post(
    "/agents",
    { name: "away", poolId: POOL_ID },
    z.object({ agent: z.object({ id: z.string() }) }),
  );
  const away = { name: "away", type: "script", config: {}, agentId: agent.id };
  const connection = await service.api.post("/connections", away, z.object({ id: z.string() }));
  const figures: BacklogFigure[] = [];
  let waiting = 0;
  for (const size of SIZES) {
    for (; waiting < size; waiting += JOBS_PER_CALL) {
      await service.order("backlog", { count: JOBS_PER_CALL, connection: connection.id, agent: agent.id });
    }
    await Bun.sleep(SETTLE_MS);
    await keepCalling(pool);
    for (let i = 0; i < WARM_UP; i += 1) await pick(callers, i).poll();
    const took: number[] = [];
    for (let i = 0; i < POLLS; i += 1) took.push(await timed(() => pick(callers, i).poll()));
    const { p50Ms, p99Ms } = latencyOf(took);
    figures.push({ waiting: size, p50Ms, p99Ms, ratio: p50Ms / (figures[0]?.p50Ms ?? p50Ms) });
  }
  return figures;
}
