import { z } from "zod";
import {
  HEARTBEAT_INTERVAL_DEFAULT_SECONDS,
  POLL_INTERVAL_DEFAULT_SECONDS,
  PRESENCE_FLUSH_MS,
} from "../../schema/limits.ts";
import { keepCalling } from "./pools.ts";
import type { FilledPool } from "./pools.ts";

/**
 * What agents cost that have nothing to do, with their wake sockets open, at the default intervals: counted for a minute
 * and scaled to an agent and a day. What comes less often than every minute (a key that is verified anew every five
 * minutes, the minute's tick) is not in it.
 */
export interface IdleCost {
  agents: number;
  seconds: number;
  /** All for one agent and day. */
  perAgentDay: {
    /** Requests to the Worker: polls and heartbeats. */
    workerRequests: number;
    /** Calls of Pools, alarms among them, as they are billed. */
    objectRequests: number;
    /** Pings over the wake socket, which the platform answers without waking the object. */
    pings: number;
    objectRowsRead: number;
    /** Each `setAlarm` among them. */
    objectRowsWritten: number;
    libsqlRequests: number;
    libsqlReadStatements: number;
    libsqlRowsWritten: number;
  };
  /** By class and method, for all agents, as counted. */
  calls: Record<string, number>;
}

const SECONDS = 60;
const DAY_SECONDS = 24 * 60 * 60;
const PING_EVERY_SECONDS = 30;
const FLUSHED_WITHIN_MS = 1_000;
const OPENING_AT_ONCE = 20;
const meterSchema = z.object({
  calls: z.record(z.string(), z.number()),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  alarmsSet: z.number(),
});

/** Only of pools in which all agents call over HTTP. */
export async function measureIdle(pool: FilledPool): Promise<IdleCost> {
  const { service, callers, agents } = pool;
  if (service.proxy === null) throw new Error("this service's libSQL is not counted");
  await keepCalling(pool);
  for (let i = 0; i < callers.length; i += OPENING_AT_ONCE) {
    await Promise.all(callers.slice(i, i + OPENING_AT_ONCE).map((caller) => caller.openWake()));
  }
  try {
    // What was heard before is flushed, and is not counted; what is heard last is.
    await flushed();
    await service.order("meter");
    service.proxy.take();
    const pongsBefore = pongsOf(pool);
    const counts = { polls: 0, heartbeats: 0, pings: 0 };
    const startedAt = performance.now();
    await Promise.all([
      pace(pool, POLL_INTERVAL_DEFAULT_SECONDS, async (caller) => {
        counts.polls += 1;
        await caller.poll();
      }),
      pace(pool, HEARTBEAT_INTERVAL_DEFAULT_SECONDS, async (caller) => {
        counts.heartbeats += 1;
        await caller.heartbeat();
      }),
      pace(pool, PING_EVERY_SECONDS, (caller) => {
        counts.pings += 1;
        caller.ping();
        return Promise.resolve();
      }),
    ]);
    const seconds = (performance.now() - startedAt) / 1_000;
    await flushed();
    const meter = meterSchema.parse(await service.order("meter"));
    const libsql = service.proxy.take();
    if (pongsOf(pool) - pongsBefore < counts.pings) throw new Error("pings were not answered");
    const scale = (count: number) => (count / agents / seconds) * DAY_SECONDS;
    return {
      agents,
      seconds,
      perAgentDay: {
        workerRequests: scale(counts.polls + counts.heartbeats),
        objectRequests: scale(Object.values(meter.calls).reduce((sum, count) => sum + count, 0)),
        pings: scale(counts.pings),
        objectRowsRead: scale(meter.rowsRead),
        objectRowsWritten: scale(meter.rowsWritten + meter.alarmsSet),
        libsqlRequests: scale(libsql.requests + libsql.presenceBatches),
        libsqlReadStatements: scale(libsql.readStatements),
        libsqlRowsWritten: scale(libsql.rowsWritten + libsql.presenceRows),
      },
      calls: meter.calls,
    };
  } finally {
    for (const caller of callers) caller.closeWake();
  }
}

function flushed(): Promise<void> {
  return Bun.sleep(PRESENCE_FLUSH_MS + FLUSHED_WITHIN_MS);
}

/** Each caller once in an interval, all of them spread evenly over it, for as long as is counted. */
async function pace(
  { callers }: FilledPool,
  intervalSeconds: number,
  call: (caller: FilledPool["callers"][number]) => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const intervals = SECONDS / intervalSeconds;
  const running: Promise<void>[] = [];
  for (let interval = 0; interval < intervals; interval += 1) {
    for (const [index, caller] of callers.entries()) {
      const dueMs = (interval + index / callers.length) * intervalSeconds * 1_000;
      const waitMs = startedAt + dueMs - performance.now();
      if (waitMs > 0) await Bun.sleep(waitMs);
      running.push(call(caller));
    }
  }
  const restMs = startedAt + SECONDS * 1_000 - performance.now();
  if (restMs > 0) await Bun.sleep(restMs);
  await Promise.all(running);
}

function pongsOf({ callers }: FilledPool): number {
  return callers.reduce((sum, { pongs }) => sum + pongs, 0);
}
