import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../../schema/contract/execution.ts";
import { windowOver, windowsReader } from "../../../worker/services/maintenance/read-windows.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { query } from "../../support/database.ts";
import { call, createWorkflow } from "../../support/management-api.ts";
import { testDeps } from "../../support/test-deps.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const HOUR_MS = 60 * 60_000;
const WEBHOOK: ExecutionTrigger = { type: "webhook", variables: {} };

test("a planned window begins and ends by the clock, though an isolate reads the windows once in two seconds", async () => {
  const { id: workflowId, name, trigger, definition } = await createWorkflow(bellhop, { tags: ["storage"] });
  const start = Date.now();
  const at = (ms: number) => new Date(start + ms).toISOString();
  const create = (more: object) =>
    call(bellhop, "POST", "/maintenance-windows", { name: "Storage", mode: "hold", ...more });
  await create({ startsAt: at(HOUR_MS), endsAt: at(2 * HOUR_MS), tags: ["storage"] });

  const clock = { now: start };
  const deps = testDeps(bellhop.libsql.url, { now: () => clock.now });
  let reads = 0;
  const counted = {
    ...deps,
    get db() {
      reads += 1;
      return deps.db;
    },
  };
  const read = windowsReader();
  const openAt = async (ms: number) => {
    clock.now = start + ms;
    return (await windowOver(counted, { workflowId, trigger: WEBHOOK }, read)) !== null;
  };
  expect(await openAt(HOUR_MS - 1_500)).toBe(false);
  expect(await openAt(HOUR_MS - 1)).toBe(false);
  expect(reads).toBe(1);
  expect(await openAt(HOUR_MS)).toBe(true);
  expect(await openAt(2 * HOUR_MS - 1)).toBe(true);
  expect(await openAt(2 * HOUR_MS)).toBe(false);

  // Another window is known within five seconds; a change of tags at once.
  await create({ startsAt: at(-HOUR_MS), endsAt: at(5 * HOUR_MS), tags: ["storage"] });
  expect(await openAt(2 * HOUR_MS + 5_000)).toBe(true);
  await call(bellhop, "PUT", `/workflows/${workflowId}`, { name, trigger, definition, tags: [] });
  expect(await openAt(2 * HOUR_MS + 5_001)).toBe(false);
  await query(bellhop, "delete from maintenance_windows");
});

test("a start without windows reads nothing but the remembered list", async () => {
  const deps = testDeps(bellhop.libsql.url);
  let reads = 0;
  const counted = {
    ...deps,
    get db() {
      reads += 1;
      return deps.db;
    },
  };
  const read = windowsReader();
  for (let starts = 0; starts < 5; starts += 1) {
    expect(await windowOver(counted, { workflowId: "wf_1", trigger: WEBHOOK }, read)).toBeNull();
  }
  expect(reads).toBe(1);
});
