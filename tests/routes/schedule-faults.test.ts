import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { createSchedule, getWorkflow, nextRunOf, scheduledRuns, tickWhenDue } from "../support/schedules.ts";
import { passOn } from "../support/test-database.ts";

/**
 * Ticks that are interrupted. The Worker reaches the real libSQL through a relay: `intercept` sees every request and
 * decides whether it passes, is refused, or passes and loses its response.
 */
type Fate = "pass" | "refuse" | "loseAnswer";

let bellhop: Bellhop;
let relay: ReturnType<typeof Bun.serve>;
let intercept: (body: string) => Fate | Promise<Fate> = () => "pass";

beforeAll(async () => {
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      const fate = await intercept(body);
      if (fate === "refuse") return new Response("gone", { status: 502 });
      const passedOn = await passOn(bellhop.libsql, request, body).catch(() => null);
      return passedOn === null || fate === "loseAnswer" ? new Response("gone", { status: 502 }) : passedOn;
    },
  });
  bellhop = await startBellhop({ bindings: { DATABASE_URL: `http://127.0.0.1:${relay.port}` } });
});
afterAll(async () => {
  await bellhop.stop();
  await relay.stop(true);
});
afterEach(() => {
  intercept = () => "pass";
});

const MINUTE_MS = 60_000;
/** The batch that begins an execution. */
const isStart = (body: string, workflowId: string) => body.includes("execution_events") && body.includes(workflowId);

describe("a start that fails", () => {
  test("leaves the schedule due, and the next tick catches up", async () => {
    const { id, nextRunAt } = await createSchedule(bellhop, { expression: "0 * * * *" });
    intercept = (body) => (isStart(body, id) ? "refuse" : "pass");
    const dueAt = await tickWhenDue(bellhop, id);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt });
    intercept = () => "pass";
    await bellhop.worker.tick(new Date(dueAt + MINUTE_MS));
    expect(await scheduledRuns(bellhop, id)).toMatchObject([{ scheduledAt: nextRunAt }]);
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + 60 * MINUTE_MS);
  });

  test("does not keep other schedules from starting", async () => {
    const failing = await createSchedule(bellhop);
    const others = await Promise.all([createSchedule(bellhop), createSchedule(bellhop), createSchedule(bellhop)]);
    intercept = (body) => (isStart(body, failing.id) ? "refuse" : "pass");
    await tickWhenDue(bellhop, failing.id);
    for (const { id } of others) expect(await scheduledRuns(bellhop, id)).toHaveLength(1);
    expect(await scheduledRuns(bellhop, failing.id)).toEqual([]);
  });
});

describe("a start whose response is lost", () => {
  test("is not repeated by the next ticks", async () => {
    const { id } = await createSchedule(bellhop, { expression: "0 * * * *" });
    intercept = (body) => (isStart(body, id) ? "loseAnswer" : "pass");
    const dueAt = await tickWhenDue(bellhop, id);
    intercept = () => "pass";
    await bellhop.worker.tick(new Date(dueAt));
    await bellhop.worker.tick(new Date(dueAt + MINUTE_MS));
    expect(await scheduledRuns(bellhop, id)).toHaveLength(1);
    expect(await nextRunOf(bellhop, id)).toBe(dueAt + 60 * MINUTE_MS);
  });

  test("is not repeated after the Worker was restarted, either", async () => {
    const { id } = await createSchedule(bellhop, { expression: "0 * * * *" });
    intercept = (body) => (isStart(body, id) ? "loseAnswer" : "pass");
    const dueAt = await tickWhenDue(bellhop, id);
    intercept = () => "pass";
    await bellhop.restartWorker();
    await bellhop.worker.tick(new Date(dueAt));
    expect(await scheduledRuns(bellhop, id)).toHaveLength(1);
  });
});

describe("a change after the tick has read the schedule applies (invariant 8)", () => {
  test.each(["deactivate", "unpublish"])("%s", async (name) => {
    const { id } = await createSchedule(bellhop);
    const dueAt = await nextRunOf(bellhop, id);
    let changed = false;
    intercept = async (body): Promise<Fate> => {
      if (!changed && isStart(body, id)) {
        changed = true;
        await verb(bellhop, id, name);
      }
      return "pass";
    };
    await bellhop.worker.tick(new Date(dueAt));
    expect(changed).toBe(true);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
    expect(await getWorkflow(bellhop, id)).toMatchObject({ nextRunAt: null });
    await bellhop.worker.tick(new Date(dueAt + MINUTE_MS));
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
  });

  test("a deactivation that does not change the next run", async () => {
    const { id } = await createSchedule(bellhop);
    const dueAt = await nextRunOf(bellhop, id);
    let changed = false;
    intercept = async (body): Promise<Fate> => {
      if (!changed && isStart(body, id)) {
        changed = true;
        await query(bellhop, "update workflows set active = 0 where id = ?", [id]);
      }
      return "pass";
    };
    await bellhop.worker.tick(new Date(dueAt));
    expect(changed).toBe(true);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
  });

  test("a deletion", async () => {
    const { id } = await createSchedule(bellhop);
    let changed = false;
    intercept = async (body): Promise<Fate> => {
      if (!changed && isStart(body, id)) {
        changed = true;
        await call(bellhop, "DELETE", `/workflows/${id}`);
      }
      return "pass";
    };
    await tickWhenDue(bellhop, id);
    expect(changed).toBe(true);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
  });

  test("a new version, which the next tick starts, also for the minute before", async () => {
    const { id } = await createSchedule(bellhop, { expression: "0 * * * *" });
    const trigger = { type: "cron", expression: "0 * * * *" };
    const definition = { nodes: [{ id: "pause", type: "delay", seconds: 60 }], edges: [] };
    let changed = false;
    intercept = async (body): Promise<Fate> => {
      if (!changed && isStart(body, id)) {
        changed = true;
        await call(bellhop, "PUT", `/workflows/${id}`, { name: "changed", trigger, definition });
        await verb(bellhop, id, "publish");
      }
      return "pass";
    };
    const dueAt = await tickWhenDue(bellhop, id);
    expect(await scheduledRuns(bellhop, id)).toEqual([]);
    await bellhop.worker.tick(new Date(dueAt + MINUTE_MS));
    expect(await scheduledRuns(bellhop, id)).toMatchObject([{ status: "running" }]);
  });
});

test("without libSQL a tick starts nothing; if libSQL is back within ten minutes, it catches up", async () => {
  const { id } = await createSchedule(bellhop, { expression: "0 * * * *" });
  const dueAt = await nextRunOf(bellhop, id);
  await bellhop.stopLibsql();
  await bellhop.worker.tick(new Date(dueAt));
  await bellhop.worker.tick(new Date(dueAt + MINUTE_MS));
  await bellhop.startLibsql();
  await bellhop.worker.tick(new Date(dueAt + 2 * MINUTE_MS));
  await bellhop.worker.tick(new Date(dueAt + 3 * MINUTE_MS));
  expect((await scheduledRuns(bellhop, id)).map((run) => Date.parse(run.scheduledAt))).toEqual([dueAt]);
});
