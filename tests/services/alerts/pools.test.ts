import "../../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { ALERT_POOLS_MAX } from "../../../schema/limits.ts";
import { readPools } from "../../../worker/services/alerts/index.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { write } from "../../support/old-records.ts";
import { dispatcherThat, testDeps } from "../../support/test-deps.ts";

const MINUTE_MS = 60_000;
const NOW = 1_000 * MINUTE_MS;
const POOLS = Array.from({ length: ALERT_POOLS_MAX + 50 }, (_, n) => `pool-${String(n).padStart(3, "0")}`);
let service: Service;

beforeAll(async () => {
  service = await startApp();
  const agents = [
    ...POOLS.map((poolId) => ({ id: `agt_${poolId}`, poolId, enabled: 1 })),
    { id: "agt_off", poolId: "pool-000", enabled: 0 },
    { id: "agt_alone", poolId: null, enabled: 1 },
    { id: "agt_alone_off", poolId: null, enabled: 0 },
  ];
  await write(
    service,
    agents.map(({ id, poolId, enabled }) => ({
      sql: `insert into agents (id, name, pool_id, key_prefix, key_hash, enabled, created_at, updated_at)
        values (?, ?, ?, ?, '', ?, 0, 0)`,
      args: [id, id, poolId, id, enabled],
    })),
  );
});
afterAll(() => service.stop());

/** A look in a minute. `broken` is a dispatcher that does not answer. */
async function look(minute: number, broken: string | null = null) {
  const called: string[] = [];
  const dispatcher = (poolObject: string) =>
    dispatcherThat({
      view: async (id) => {
        called.push(poolObject);
        if (poolObject === broken) throw new Error("it does not answer");
        return { id, members: [], queueDepth: 0, waiting: [] };
      },
    });
  const deps = testDeps(service.libsql.url, { now: () => NOW + minute * MINUTE_MS, dispatcher });
  return { called, ...(await readPools(deps)) };
}

test("each pool is called every few minutes, and each agent without one, also a disabled one; the others count as unread", async () => {
  const looks = [await look(0), await look(1), await look(2)];
  const called = new Set(looks.flatMap((one) => one.called));
  expect(called).toEqual(new Set([...POOLS.map((id) => `pool:${id}`), "agent:agt_alone", "agent:agt_alone_off"]));
  for (const { called: some, pools, unread } of looks) {
    expect([some.length, pools.length]).toEqual([ALERT_POOLS_MAX + 2, ALERT_POOLS_MAX + 2]);
    const others = POOLS.filter((id) => !some.includes(`pool:${id}`));
    expect(unread.poolIds.toSorted()).toEqual(others);
    expect(unread.agentIds.toSorted()).toEqual(others.map((id) => `agt_${id}`));
  }
});

test("a pool that does not answer is unread, with its enabled agents", async () => {
  const [first = ""] = (await look(0)).called;
  const poolId = first.replace("pool:", "");
  const { pools, unread } = await look(0, first);
  expect(pools.length).toBe(ALERT_POOLS_MAX + 1);
  expect(unread.poolIds).toContain(poolId);
  expect(unread.agentIds).toContain(`agt_${poolId}`);
  const alone = await look(0, "agent:agt_alone");
  expect(alone.unread.agentIds).toContain("agt_alone");
});
