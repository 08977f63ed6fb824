import { readFile } from "node:fs/promises";
import { z } from "zod";
import { HEARTBEATS_RECORDED_EVERY_MS, PRESENCE_FLUSH_MS } from "../../schema/limits.ts";
import { IdleFleet } from "./idle-fleet.ts";
import type { FilledPool } from "./pools.ts";

/**
 * The cost of idle agents with open wake sockets at the default settings: counted for five minutes and scaled to one
 * agent and day. Rarer work (a key's new verification every half an hour to an hour, the minute's tick) is left out.
 */
export interface IdleCost {
  agents: number;
  seconds: number;
  /** All values are for one agent and day. */
  perAgentDay: {
    /** Requests to the Worker: polls, and heartbeats if there were any. */
    workerRequests: number;
    /** Calls of dispatchers, alarms included, as they are billed. */
    objectRequests: number;
    /** Pings over the wake socket, which the platform answers without waking the object. */
    pings: number;
    objectRowsRead: number;
    /** Includes each `setAlarm`. */
    objectRowsWritten: number;
    /**
     * The time when agents were last heard is recorded less often than once per count: its request and rows are added.
     */
    libsqlRequests: number;
    libsqlReadStatements: number;
    libsqlRowsWritten: number;
  };
  /** The counted calls of all agents, by class and method. */
  calls: Record<string, number>;
  /** The number of alarms set, for all agents. */
  alarmsSet: number;
  /** Wake sockets that ended and were opened again; none on a quiet machine. */
  socketsLost: number;
}

/** The limits. */
export const WORKER_REQUESTS_MAX = 1_700;
export const OBJECT_ROWS_MAX = 300;

/** Five poll intervals of idle agents, and one interval at which a dispatcher writes the agents' presence. */
const SECONDS = 300;
const DAY_SECONDS = 24 * 60 * 60;
const RECORDED_A_DAY = (DAY_SECONDS * 1_000) / HEARTBEATS_RECORDED_EVERY_MS;
const FLUSHED_WITHIN_MS = 1_000;
/** Pings in flight at the end of the count have no answer yet. */
const ANSWERED_MIN = 0.95;
/** Open files of a process other than its wake sockets. */
const OTHER_FILES = 1_000;
const meterSchema = z.object({
  calls: z.record(z.string(), z.number()),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  alarmsSet: z.number(),
  requests: z.number(),
});

/** Measures all pools at the same time. */
export async function measureIdle(pools: readonly FilledPool[]): Promise<IdleCost[]> {
  const fleets = pools.map((pool) => ({ pool, fleet: new IdleFleet([...pool.callers, ...pool.others]) }));
  try {
    await Promise.all(fleets.map(({ fleet }) => fleet.start()));
    // The presence from before the count is written first, and not counted.
    await Bun.sleep(PRESENCE_FLUSH_MS + FLUSHED_WITHIN_MS);
    const counts = await Promise.all(fleets.map(startCount));
    await Bun.sleep(SECONDS * 1_000);
    return await Promise.all(counts.map((end) => end()));
  } finally {
    for (const { fleet } of fleets) fleet.stop();
  }
}

/** Throws when this process may not open that many wake sockets. */
export async function requireOpenFiles(sockets: number): Promise<void> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const allowed = Number(/^Max open files\s+(\d+)/mu.exec(limits)?.[1] ?? Number.NaN);
  const needed = sockets + OTHER_FILES;
  if (allowed < needed)
    throw new Error(
      `The benchmark needs ${needed} open files, and a process here may have ${allowed}. Raise the hard limit (\`ulimit -Hn ${needed}\` as root) and run it again.`,
    );
}

async function startCount({ pool, fleet }: { pool: FilledPool; fleet: IdleFleet }): Promise<() => Promise<IdleCost>> {
  const { service, agents } = pool;
  const { proxy } = service;
  if (proxy === null) throw new Error("this service's libSQL is not counted");
  await service.order("meter");
  proxy.take();
  const before = { pings: fleet.pings, pongs: fleet.pongs, socketsLost: fleet.socketsLost };
  const startedAt = performance.now();
  return async () => {
    fleet.check();
    const meter = meterSchema.parse(await service.order("meter"));
    const seconds = (performance.now() - startedAt) / 1_000;
    const libsql = proxy.take();
    const pings = fleet.pings - before.pings;
    if (fleet.pongs - before.pongs < ANSWERED_MIN * pings) throw new Error("pings were not answered");
    const scale = (count: number) => (count / agents / seconds) * DAY_SECONDS;
    return {
      agents,
      seconds,
      perAgentDay: {
        workerRequests: scale(meter.requests),
        objectRequests: scale(Object.values(meter.calls).reduce((sum, count) => sum + count, 0)),
        pings: scale(pings),
        objectRowsRead: scale(meter.rowsRead),
        objectRowsWritten: scale(meter.rowsWritten + meter.alarmsSet),
        libsqlRequests: scale(libsql.requests) + RECORDED_A_DAY / agents,
        libsqlReadStatements: scale(libsql.readStatements),
        libsqlRowsWritten: scale(libsql.rowsWritten) + RECORDED_A_DAY,
      },
      calls: meter.calls,
      alarmsSet: meter.alarmsSet,
      socketsLost: fleet.socketsLost - before.socketsLost,
    };
  };
}
