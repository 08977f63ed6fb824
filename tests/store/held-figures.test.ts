import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Hold } from "../../schema/contract/hold.ts";
import { readFigures } from "../../worker/store/metrics.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { write } from "../support/old-records.ts";
import { testDeps } from "../support/test-deps.ts";

let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

test("executions that have not begun are counted by what they wait for", async () => {
  const { db } = testDeps(service.libsql.url);
  const window = { id: "mwn_1", name: "a", revision: 1 };
  const holds: (Hold | null)[] = [
    { code: "concurrency", since: 0 },
    { code: "concurrency", since: 0, until: 1 },
    { code: "maintenance", since: 0, window },
    { code: "maintenance", since: 0, window, until: 1 },
    { code: "maintenance", since: 0, window, until: 2 },
    { code: "collecting", since: 0, until: 1, key: "" },
    null,
  ];
  await write(
    service,
    holds.map((hold, index) => ({
      sql: `insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at, hold, concurrency_key)
        values (?, 'wf_1', 'wfv_1', 'running', '{"type":"manual"}', ?, 1, 0, ?, ?)`,
      args: [
        `exe_${index}`,
        `${index}`,
        hold === null ? null : JSON.stringify(hold),
        hold === null || hold.code === "concurrency" ? "key" : null,
      ],
    })),
  );
  const { held } = await readFigures(db, { executionsFrom: "", jobsFrom: "", lateBefore: 0, now: 0 });
  expect(held).toEqual([
    { code: "maintenance", count: 3 },
    { code: "collecting", count: 1 },
    { code: "concurrency", count: 2 },
  ]);
});
