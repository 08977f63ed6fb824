import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measureBacklog } from "./backlog.ts";
import type { BacklogFigure } from "./backlog.ts";
import { measureIdle, requireOpenFiles } from "./idle.ts";
import type { IdleCost } from "./idle.ts";
import { measureLatency } from "./latency.ts";
import type { DispatchLatency } from "./latency.ts";
import { measurePools } from "./pool-scale.ts";
import type { PoolScale } from "./pool-scale.ts";
import { fillPools } from "./pools.ts";

/**
 * The time from a webhook to its command on an agent, by stage; the cost of calls in pools of three sizes; and the cost
 * of idle agents. All parts are real: workerd, a libSQL server, the agent's executable.
 */
export interface DispatchBench {
  latency: DispatchLatency[];
  pools: PoolScale;
  idle: IdleCost[];
  backlog: BacklogFigure[];
}

const WEBHOOKS = 300;
/** Each takes one POLL_INTERVAL, half of it before the webhook. */
const WEBHOOKS_WITHOUT_SOCKET = 24;
const POOL_SIZES = [10, 1_000, 10_000] as const;
const INTERRUPTS = ["SIGINT", "SIGTERM"] as const;

/** `progress` is called with a description of each measurement. */
export async function benchDispatch(progress: (what: string) => void): Promise<DispatchBench> {
  await requireOpenFiles(POOL_SIZES.reduce((sum, agents) => sum + agents, 0));
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  // Also when the benchmark is interrupted.
  process.once("exit", remove);
  for (const signal of INTERRUPTS) process.once(signal, interrupted);
  try {
    const latency = await benchLatency(directory, progress);
    return { latency, ...(await benchPools(directory, progress)) };
  } finally {
    remove();
    process.removeListener("exit", remove);
    for (const signal of INTERRUPTS) process.removeListener(signal, interrupted);
  }
}

async function benchLatency(directory: string, progress: (what: string) => void): Promise<DispatchLatency[]> {
  progress(`${WEBHOOKS} webhooks, with the wake socket`);
  const woken = await measureLatency(join(directory, "woken"), { wakeSocket: true, webhooks: WEBHOOKS });
  progress(`${WEBHOOKS_WITHOUT_SOCKET} webhooks, by polling alone`);
  const polled = { wakeSocket: false, webhooks: WEBHOOKS_WITHOUT_SOCKET };
  return [woken, await measureLatency(join(directory, "polled"), polled)];
}

async function benchPools(directory: string, progress: (what: string) => void) {
  progress(`filling pools of ${POOL_SIZES.join(", ")} agents`);
  const filled = await fillPools(directory, POOL_SIZES);
  try {
    progress("calls in pools");
    const pools = await measurePools(filled);
    progress("idle agents for five minutes");
    const idle = await measureIdle(filled);
    const [smallest, ...larger] = filled;
    // The closing of thousands of sockets would disturb the next measurements.
    for (const { service } of larger) await service.stop();
    progress("polls while others' jobs wait");
    return { pools, idle, backlog: smallest === undefined ? [] : await measureBacklog(smallest) };
  } finally {
    for (const { service } of filled) await service.stop();
  }
}

function interrupted(): void {
  process.exit(1);
}
