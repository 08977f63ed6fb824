import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import * as api from "../../schema/contract/api/pause.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { overviewSchema } from "../../schema/contract/overview.ts";
import { pauseStateSchema } from "../../schema/contract/pause.ts";
import { PAUSE_REASON_MAX_CHARS } from "../../schema/limits.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createWebhookWorkflow, ended, getExecution } from "../support/management.ts";
import { call, createAgent, createConnection, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const read = async () => dataOf(await call(bellhop, "GET", "/pause"), 200, pauseStateSchema);
const pause = (body: unknown) => call(bellhop, "PUT", "/pause", body);
const resume = () => call(bellhop, "DELETE", "/pause");

/** A webhook workflow of one action in a pool of one agent. */
async function workflow() {
  const poolId = `pool-${crypto.randomUUID()}`;
  const agent = new AgentClient(bellhop, (await createAgent(bellhop, { poolId })).apiKey);
  await agent.register();
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const nodes = [{ id: "fix", type: "action", action: "script.bash", connectionId, params: { script: "true" } }];
  const { ring } = await createWebhookWorkflow(bellhop, { nodes, edges: [] });
  return { agent, connectionId, ring };
}

async function waitsFor(executionId: string, code: string): Promise<string> {
  return eventually(`the execution to wait with ${code}`, async () => {
    const [run] = (await getExecution(bellhop, executionId)).nodeRuns;
    return run?.waiting?.code === code ? run.waiting.detail : null;
  });
}

/** The jobs of all polls until every one of these executions has one. */
async function fetchAll(agents: readonly AgentClient[], count: number): Promise<Job[]> {
  const jobs: Job[] = [];
  await eventually(`${count} jobs`, async () => {
    for (const agent of agents) {
      const fresh = (await agent.poll()).jobs.filter(({ lease }) => !jobs.some((job) => job.lease === lease));
      for (const job of fresh) await agent.report(success(job, {}));
      jobs.push(...fresh);
    }
    return jobs.length >= count ? jobs : null;
  });
  return jobs;
}

test("a pause that begins without the database and goes on through a restart loses nothing and runs nothing twice", async () => {
  const { agent, connectionId, ring } = await workflow();
  const other = await workflow();
  await bellhop.stopLibsql();
  expect((await pause({ reason: "  Failover of the storage  " })).status).toBe(200);
  const first = await acceptedId(await ring({ variables: { n: 1 } }));
  expect((await read()).paused).toMatchObject({ by: "bootstrap", reason: "Failover of the storage" });
  await bellhop.startLibsql();
  const second = await acceptedId(await ring({ variables: { n: 2 } }));
  const third = await acceptedId(await other.ring());
  const detail = /^All runs have been paused by the bootstrap token since \S+ \S+ UTC: Failover of the storage$/u;
  for (const id of [first, second, third]) expect(await waitsFor(id, "paused")).toMatch(detail);
  for (const one of [agent, other.agent]) expect((await one.poll()).jobs).toEqual([]);

  await bellhop.restartWorker();
  expect((await read()).paused?.reason).toBe("Failover of the storage");
  for (const one of [agent, other.agent]) {
    await one.register();
    expect((await one.poll()).jobs).toEqual([]);
  }
  expect(await waitsFor(first, "paused")).toMatch(detail);
  // A person needs connection tests during an outage.
  const tested = z.object({ success: z.literal(true) }).loose();
  tested.parse(await (await call(bellhop, "POST", `/connections/${connectionId}/test?waitSeconds=0`)).json());
  const [test] = (await agent.poll()).jobs;
  expect(test).toMatchObject({ kind: "connectionTest" });

  expect(await dataOf(await resume(), 200, pauseStateSchema)).toEqual({ paused: null });
  const jobs = (await fetchAll([agent, other.agent], 4)).filter(({ kind }) => kind === "action");
  expect(jobs.map(({ executionId }) => executionId).toSorted()).toEqual([first, second, third].toSorted());
  for (const id of [first, second, third]) expect((await ended(bellhop, id)).status).toBe("succeeded");
  // The change of the pause itself is in the audit log, with its time and once.
  const entries = z.object({
    data: z.array(z.object({ verb: z.string(), actor: z.string(), detail: z.unknown() })),
  });
  const log = await eventually("the entries of the audit log", async () => {
    const answer = await call(bellhop, "GET", "/audit?subjectType=deployment");
    const { data } = entries.parse(await answer.json());
    return data.length >= 2 ? data : null;
  });
  expect(log).toEqual([
    { verb: "resume", actor: "bootstrap", detail: {} },
    { verb: "pause", actor: "bootstrap", detail: { reason: "Failover of the storage" } },
  ]);
});

describe("the operations", () => {
  test.each([
    ["no reason", {}, ["reason"]],
    ["an empty reason", { reason: "" }, ["reason"]],
    ["a blank reason", { reason: " \t " }, ["reason"]],
    ["a reason that is too long", { reason: "x".repeat(PAUSE_REASON_MAX_CHARS + 1) }, ["reason"]],
    ["a reason with line breaks", { reason: "one\ntwo" }, ["reason"]],
    ["a reason of another type", { reason: 7 }, ["reason"]],
    ["another field", { reason: "x", until: "tomorrow" }, ["until"]],
  ])("refuse %s", async (_what, body, paths) => {
    expect(await errorPathsOf(await pause(body))).toEqual(paths);
    expect(await read()).toEqual({ paused: null });
  });

  test("answer as described, say who, and keep the time when the reason changes", async () => {
    expect(await undescribed(api.pauseRuns, await pause({ reason: "one" }))).toEqual([]);
    const before = await read();
    await pause({ reason: "two" });
    expect(await read()).toEqual({ paused: { by: "bootstrap", at: before.paused?.at ?? "", reason: "two" } });
    expect(await undescribed(api.readPause, await call(bellhop, "GET", "/pause"))).toEqual([]);
    const shown = await eventually("the overview to say it", async () => {
      const { paused } = await dataOf(await call(bellhop, "GET", "/overview"), 200, overviewSchema);
      return paused?.reason === "two" ? paused : null;
    });
    expect(shown.by).toBe("bootstrap");
    expect(await undescribed(api.resumeRuns, await resume())).toEqual([]);
    expect(await undescribed(api.resumeRuns, await resume())).toEqual([]);
    expect(await read()).toEqual({ paused: null });
  });

  test("let an operator pause and resume, and a viewer only see it", async () => {
    const path = "/api/v1/automation/pause";
    const operator = await signedIn(bellhop, await createUser(bellhop, { role: "operator" }));
    const viewer = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
    await problemOf(await viewer.call("PUT", path, { reason: "x" }), 403, "forbidden");
    expect((await operator.call("PUT", path, { reason: "x" })).status).toBe(200);
    expect((await viewer.call("GET", path)).status).toBe(200);
    await problemOf(await viewer.call("DELETE", path), 403, "forbidden");
    expect((await read()).paused?.by).toMatch(/^user:/u);
    expect((await operator.call("DELETE", path)).status).toBe(200);
  });
});
