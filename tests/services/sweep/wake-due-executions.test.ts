import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { firstIdAt } from "../../../worker/services/ids.ts";
import { endOverlongExecutions, wakeDueExecutions } from "../../../worker/services/sweep/wake-due-executions.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { DAY_MS, write } from "../../support/old-records.ts";
import { testDeps, workflowRunsThat } from "../../support/test-deps.ts";

const NOW = Date.now();
let service: Service;
let clock: number;
let woken: string[];
let atOnce: number;
let mostAtOnce: number;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  [clock, woken, atOnce, mostAtOnce] = [NOW, [], 0, 0];
  await write(service, ["delete from executions"]);
});

const running = (ids: readonly string[], wakeAt: (index: number) => number | null) =>
  write(
    service,
    ids.map((id, index) => ({
      sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, wake_at)
        values (?, 'wf_1', 'wfv_1', 'running', '{"type":"manual"}', ?, 2, 0, ?)`,
      args: [id, id, wakeAt(index)],
    })),
  );
const named = (count: number) => Array.from({ length: count }, (_, index) => `exe_${String(index).padStart(4, "0")}`);

/** Wakes that all fail and take so long by the clock, each wave together. */
function failingWakes({ takesMs = 0 }: { takesMs?: number } = {}) {
  const wake = async (id: string) => {
    woken.push(id);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    await Promise.resolve();
    atOnce -= 1;
    if (atOnce === 0) clock += takesMs;
    throw new Error("the object is away");
  };
  return testDeps(service.libsql.url, { now: () => clock, workflowRuns: () => workflowRunsThat({ wake }) });
}

test("every due execution is woken in one tick, some at a time, the earliest first, also when those before it cannot be woken", async () => {
  const ids = named(450);
  await running(ids, (index) => NOW - 60_000 - Math.floor(index / 45));
  await running(["exe_soon", "exe_never"], (index) => (index === 0 ? NOW - 29_000 : null));
  await wakeDueExecutions(failingWakes());
  expect(woken.toSorted()).toEqual(ids);
  expect(woken.slice(0, 45).toSorted()).toEqual(ids.slice(-45));
  expect(mostAtOnce).toBe(20);
});

test("executions beyond the longest duration are woken, too, and no younger ones", async () => {
  const old = Array.from({ length: 45 }, (_, index) => `${firstIdAt("execution", NOW - 401 * DAY_MS)}${index}`);
  await running([...old, firstIdAt("execution", NOW - 399 * DAY_MS)], () => null);
  await endOverlongExecutions(failingWakes());
  expect(woken.toSorted()).toEqual(old.toSorted());
});

test("no wake begins after 45 s: the next tick continues", async () => {
  await running(named(300), () => NOW - 60_000);
  await wakeDueExecutions(failingWakes({ takesMs: 15_000 }));
  expect(woken).toHaveLength(60);
});
