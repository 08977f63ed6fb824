import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentSchema } from "../../schema/contract/management.ts";
import { AgentClient } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import {
  call,
  createAgent,
  createWorkflow,
  dataOf,
  heartbeatStatus,
  makeWebhookKey,
  problemOf,
  ring,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { passOn } from "../support/test-database.ts";

/**
 * A change that fails half-way: libSQL fails after the object has the change and before the commit. The Worker reaches
 * the real libSQL through a relay that lets one kind of statement fail.
 */
let bellhop: Bellhop;
let failing: RegExp | null = null;
let relay: ReturnType<typeof Bun.serve>;

beforeAll(async () => {
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) => {
      const body = await request.text();
      if (failing?.test(body) === true) return new Response("gone", { status: 502 });
      return passOn(bellhop.libsql, request, body);
    },
  });
  bellhop = await startBellhop({ bindings: { DATABASE_URL: `http://127.0.0.1:${relay.port}` } });
});
afterAll(async () => {
  await bellhop.stop();
  await relay.stop(true);
});

/** The service's response while statements of this kind fail. */
async function whileFailing(statement: RegExp, work: () => Promise<Response>): Promise<Response> {
  failing = statement;
  try {
    return await work();
  } finally {
    failing = null;
  }
}

const AUDIT = /insert into .{1,2}audit_log/u;

describe("a revocation whose commit fails is a 503, and applies until the tick restores libSQL's state", () => {
  test.each(["deactivate", "unpublish", "webhook-key"])("%s", async (name) => {
    const { id } = await createWorkflow(bellhop);
    const key = await makeWebhookKey(bellhop, id);
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
    const answer = await whileFailing(AUDIT, () => call(bellhop, "POST", `/workflows/${id}/${name}`));
    await problemOf(answer, 503, "unavailable");
    expect((await ring(bellhop, key)).status).toBe(404);
    await bellhop.worker.tick();
    expect((await ring(bellhop, key)).status).toBe(200);
    expect((await call(bellhop, "POST", `/workflows/${id}/${name}`)).ok).toBe(true);
    expect((await ring(bellhop, key)).status).toBe(404);
    expect(await query(bellhop, "select id from workflows where gate_epoch <> gate_pushed_epoch")).toEqual([]);
  });

  test("a regenerated agent key: the old key is refused until the tick, and then works again", async () => {
    const { agent, apiKey } = await createAgent(bellhop, { poolId: "half" });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const path = `/agents/${agent.id}/regenerate-key`;
    await problemOf(await whileFailing(AUDIT, () => call(bellhop, "POST", path)), 503, "unavailable");
    expect(await heartbeatStatus(bellhop, client)).toBe(503);
    await bellhop.worker.tick();
    expect(await heartbeatStatus(bellhop, client)).toBe(200);
    expect((await call(bellhop, "POST", path)).status).toBe(201);
    expect(await heartbeatStatus(bellhop, client)).toBe(401);
  });

  test("a disabled agent: the pool matches libSQL again after the tick", async () => {
    const { agent } = await createAgent(bellhop, { poolId: "dim" });
    const enabledInPool = async () => {
      const pool = await (await call(bellhop, "GET", "/pools/dim")).text();
      return pool.includes('"enabled":true');
    };
    const path = `/agents/${agent.id}/disable`;
    await problemOf(await whileFailing(AUDIT, () => call(bellhop, "POST", path)), 503, "unavailable");
    expect(await enabledInPool()).toBe(false);
    const shown = await dataOf(await call(bellhop, "GET", `/agents/${agent.id}`), 200, agentSchema);
    expect(shown.enabled).toBe(true);
    await bellhop.worker.tick();
    expect(await enabledInPool()).toBe(true);
  });
});

test("a grant whose mark fails applies, and the request succeeds", async () => {
  const { id } = await createWorkflow(bellhop);
  const key = await makeWebhookKey(bellhop, id);
  await verb(bellhop, id, "publish");
  const mark = /update .{1,2}workflows.{1,2} set .{1,2}gate_pushed_epoch/u;
  const answer = await whileFailing(mark, () => call(bellhop, "POST", `/workflows/${id}/activate`));
  expect(answer.status).toBe(200);
  expect((await ring(bellhop, key)).status).toBe(200);
  await bellhop.worker.tick();
  expect((await ring(bellhop, key)).status).toBe(200);
  expect(await query(bellhop, "select id from workflows where gate_epoch <> gate_pushed_epoch")).toEqual([]);
});

test("a change whose commit fails before any object has it leaves everything as it was", async () => {
  const { id } = await createWorkflow(bellhop);
  const key = await makeWebhookKey(bellhop, id);
  await verb(bellhop, id, "publish");
  await problemOf(
    await whileFailing(AUDIT, () => call(bellhop, "POST", `/workflows/${id}/activate`)),
    503,
    "unavailable",
  );
  expect((await ring(bellhop, key)).status).toBe(404);
  await bellhop.worker.tick();
  expect((await ring(bellhop, key)).status).toBe(404);
});
