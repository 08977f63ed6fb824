import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { reportForgottenFailures } from "../../../worker/services/sweep/report-forgotten-failures.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { write } from "../../support/old-records.ts";
import { testDeps, workflowRunsThat } from "../../support/test-deps.ts";

const START_LIMIT_MS = 15_000;
const NOW = Date.now();
let service: Service;
let clock = NOW;
let tried: string[] = [];
let atOnce = 0;
let mostAtOnce = 0;

beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());
beforeEach(async () => {
  [clock, tried, atOnce, mostAtOnce] = [NOW, [], 0, 0];
  await write(service, ["delete from executions", "delete from unreported_failures"]);
});

/** Failed executions that are not reported, named by their number. */
async function failures(first: number, count: number, finishedAt = clock): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `exe_${String(first + index).padStart(4, "0")}`);
  await write(
    service,
    ids.flatMap((id) => [
      {
        sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, finished_at)
          values (?, 'wf_1', 'wfv_1', 'failed', '{"type":"manual"}', ?, 2, ?, ?)`,
        args: [id, id, finishedAt, finishedAt],
      },
      { sql: "insert into unreported_failures (execution_id) values (?)", args: [id] },
    ]),
  );
  return ids;
}

/** A tick whose reports take so long by the clock, each wave together, and leave or forget their failures. */
function tick({ takesMs = 0, start }: { takesMs?: number; start: (id: string) => Promise<void> }): Promise<void> {
  const reportFailure = async (id: string) => {
    tried.push(id);
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    try {
      await start(id);
    } finally {
      atOnce -= 1;
      if (atOnce === 0) clock += takesMs;
    }
  };
  return reportForgottenFailures(
    testDeps(service.libsql.url, { now: () => clock, workflowRuns: () => workflowRunsThat({ reportFailure }) }),
  );
}
const forgets = async (id: string) => {
  await query(service, "delete from unreported_failures where execution_id = ?", [id]);
};
const stuck = () => Promise.resolve();

test("reports every failure in one tick, some at a time, each once", async () => {
  const ids = await failures(0, 50);
  await tick({ start: forgets });
  expect(tried.toSorted()).toEqual(ids);
  expect(mostAtOnce).toBe(20);
});

test("begins no report after 20 s when failure workflows do not start", async () => {
  await failures(0, 300);
  await tick({ takesMs: START_LIMIT_MS, start: stuck });
  expect(tried).toHaveLength(40);
  expect(clock - NOW).toBe(2 * START_LIMIT_MS);
});

test("failures whose workflows do not start keep no later one back", async () => {
  await failures(0, 100);
  await tick({ takesMs: START_LIMIT_MS, start: stuck });
  const [late = ""] = await failures(900, 1);
  clock += 60_000;
  tried = [];
  await tick({ takesMs: START_LIMIT_MS, start: stuck });
  clock += 60_000;
  await tick({ takesMs: START_LIMIT_MS, start: stuck });
  expect(tried).toContain(late);
  // The first 40 wait until those without an attempt had theirs.
  expect(new Set(tried.slice(0, 61)).size).toBe(61);
});

test("an attempt is repeated after 30 s, and of an old failure after 15 minutes", async () => {
  const [young, old] = [...(await failures(0, 1)), ...(await failures(1, 1, clock - 86_400_000))];
  const triesOf = (id = "") => tried.filter((one) => one === id).length;
  await tick({ start: stuck });
  clock += 29_000;
  await tick({ start: stuck });
  expect([triesOf(young), triesOf(old)]).toEqual([1, 1]);
  clock += 1_000;
  await tick({ start: stuck });
  expect([triesOf(young), triesOf(old)]).toEqual([2, 1]);
  clock += 870_000;
  await tick({ start: stuck });
  expect([triesOf(young), triesOf(old)]).toEqual([3, 2]);
});

test("two ticks at the same time report each failure once, and one that throws ends neither", async () => {
  const ids = await failures(0, 60);
  const start = () => Promise.reject(new Error("the object is away"));
  await Promise.all([tick({ start }), tick({ start })]);
  expect(tried.toSorted()).toEqual(ids);
});

test("a failure whose execution is gone is left to its deletion", async () => {
  await query(service, "insert into unreported_failures (execution_id) values ('exe_gone')");
  await tick({ start: forgets });
  expect(tried).toEqual([]);
});
