import { afterAll, beforeAll, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { failingWorkflow, failureWorkflow, failuresOf, reported, unreported } from "../support/failure-workflows.ts";
import { executionsOf } from "../support/incidents.ts";
import { call } from "../support/management-api.ts";
import { passOn } from "../support/test-database.ts";

/** libSQL fails for one kind of statement: the Worker reaches the real one through a relay. */
let bellhop: Bellhop;
let failing: RegExp | null = null;
/** Statements of this kind get no answer before the release. */
let hanging: RegExp | null = null;
let release = Promise.withResolvers<void>();
let refused = 0;
let relay: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      if (failing?.test(body) === true) {
        refused += 1;
        return new Response("gone", { status: 502 });
      }
      if (hanging?.test(body) === true) {
        refused += 1;
        await release.promise;
      }
      return passOn(bellhop.libsql, request, body);
    },
  });
  bellhop = await startBellhop({ bindings: { DATABASE_URL: `http://127.0.0.1:${relay.port}` } });
});
afterAll(async () => {
  await bellhop.stop();
  await relay.stop(true);
});

/** The failures that remain while the database refuses these statements. */
async function failOnceWithout(statement: RegExp, workflowId: string): Promise<void> {
  failing = statement;
  refused = 0;
  await call(bellhop, "POST", `/workflows/${workflowId}/execute`);
  await eventually("the failure to be recorded", async () => (await unreported(bellhop)).length === 1);
  await eventually("a statement to be refused", () => refused > 0);
}

test("a failure workflow whose start is interrupted starts once, by the tick after a restart", async () => {
  const first = await failureWorkflow(bellhop);
  const second = await failureWorkflow(bellhop);
  const workflowId = await failingWorkflow(bellhop);
  await failOnceWithout(new RegExp(`insert into .{0,2}executions[^_].*${second}`, "su"), workflowId);
  await eventually("the other to be started", async () => (await executionsOf(bellhop, first)).length === 1);
  await bellhop.restartWorker();
  failing = null;
  expect(await executionsOf(bellhop, second)).toEqual([]);
  await bellhop.worker.tick();
  await reported(bellhop);
  for (const id of [first, second]) expect(await failuresOf(bellhop, id)).toHaveLength(1);
  await bellhop.worker.tick();
  for (const id of [first, second]) expect(await failuresOf(bellhop, id)).toHaveLength(1);
});

test("a report that cannot be marked as done starts nothing twice", async () => {
  const report = await failureWorkflow(bellhop);
  const workflowId = await failingWorkflow(bellhop);
  await failOnceWithout(/delete from .{0,2}unreported_failures/su, workflowId);
  expect(await failuresOf(bellhop, report)).toHaveLength(1);
  await bellhop.restartWorker();
  failing = null;
  await bellhop.worker.tick();
  await reported(bellhop);
  expect(await failuresOf(bellhop, report)).toHaveLength(1);
});

test("a failure is recorded with the end of its execution or not at all", async () => {
  const report = await failureWorkflow(bellhop);
  const workflowId = await failingWorkflow(bellhop);
  failing = /insert into .{0,2}unreported_failures/su;
  refused = 0;
  const answer = await call(bellhop, "POST", `/workflows/${workflowId}/execute`);
  expect(answer.status).toBe(503);
  expect(refused).toBeGreaterThan(0);
  failing = null;
  expect(await executionsOf(bellhop, workflowId)).toEqual([]);
  await call(bellhop, "POST", `/workflows/${workflowId}/execute`);
  await eventually("the failure to be reported", async () => (await failuresOf(bellhop, report)).length === 1);
});

test("a failure workflow that does not start does not delay the caller of the failing run", async () => {
  const stuck = await failureWorkflow(bellhop);
  const workflowId = await failingWorkflow(bellhop);
  hanging = new RegExp(`insert into .{0,2}executions[^_].*${stuck}`, "su");
  refused = 0;
  release = Promise.withResolvers();
  const began = performance.now();
  expect((await call(bellhop, "POST", `/workflows/${workflowId}/execute`)).status).toBe(201);
  expect(performance.now() - began).toBeLessThan(8_000);
  await eventually("the start to hang", () => refused > 0);
  expect(await unreported(bellhop)).toHaveLength(1);
  hanging = null;
  release.resolve();
  await reported(bellhop);
  expect(await failuresOf(bellhop, stuck)).toHaveLength(1);
});
