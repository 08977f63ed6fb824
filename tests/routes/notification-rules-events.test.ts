import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import * as api from "../../schema/contract/api/notification-rules.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { notificationReceiverSchema } from "../../schema/contract/notification-receiver.ts";
import { noticesSchema, notificationRuleSchema, ruleTestSchema } from "../../schema/contract/notification-rule.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";
import { startHttpPeer } from "../support/http-peer.ts";
import type { HttpPeer } from "../support/http-peer.ts";
import { call, createAgent, createConnection, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { createSchedule, scriptGraph, tickWhenDue } from "../support/schedules.ts";
import { failure } from "../support/working-agent.ts";
import { WorkflowBench } from "../support/workflow-bench.ts";

/** Each event of notification rules, from the real service to a real HTTP server. */
const ORIGIN = "https://bellhop.example";
let bench: WorkflowBench;
let peer: HttpPeer;
beforeAll(async () => {
  bench = await WorkflowBench.start({
    bindings: {
      PUBLIC_URL: ORIGIN,
      NOTIFY_WEBHOOK_SECRET: `whsec_${btoa("first-key-of-thirty-two-bytes-ab")}`,
      NOTIFY_WEBHOOK_ALLOW_PRIVATE: "true",
    },
  });
});
afterAll(() => bench.stop());
beforeEach(() => {
  peer = startHttpPeer();
});
afterEach(() => peer.stop());

const noticeBody = z.object({
  data: z.object({ subject: z.string(), message: z.string(), url: z.string().nullish() }),
});
const received = () => peer.requests.map(({ body }) => noticeBody.parse(JSON.parse(body)).data);
const subjects = () => received().map(({ subject }) => subject);

/** A rule that sends to the test's own server, each notice as a message. */
async function rule(fields: JsonObject): Promise<string> {
  const { bellhop } = bench;
  const to = `${peer.url}/hook`;
  const receiver = { name: crypto.randomUUID(), type: "webhook", to };
  const { id } = await dataOf(
    await call(bellhop, "POST", "/notification-receivers", receiver),
    201,
    notificationReceiverSchema,
  );
  const body = { name: crypto.randomUUID(), receivers: [id], groupMinutes: 0, ...fields };
  return (await dataOf(await call(bellhop, "POST", "/notification-rules", body), 201, notificationRuleSchema)).id;
}

const tick = () => bench.bellhop.worker.tick();
const arrives = (subject: string) =>
  eventually(`the notice ${subject}`, async () => {
    await tick();
    return received().find((one) => one.subject === subject);
  });

/** A workflow of one script, which fails while `isBroken`. */
async function breakable(name: string, tags: string[] = []) {
  const { bellhop } = bench;
  const definition = { nodes: [bench.action("restart", "x", { name: "Restart it" })], edges: [] };
  const body = { name, tags, definition, trigger: { type: "manual" }, runbookUrl: "https://wiki.example/restart" };
  const { id } = await createWorkflow(bellhop, body);
  await verb(bellhop, id, "publish");
  const run = async (isBroken: boolean) => {
    bench.agent.does((job) => (isBroken ? failure(job, "nonzero_exit") : success(job)));
    return (await bench.ended(await bench.execute(id))).id;
  };
  return { id, run };
}

describe("a failed execution", () => {
  test("is reported by its first failure, with its step, error and links, and its recovery once", async () => {
    const { id, run } = await breakable("Restart");
    const ruleId = await rule({ on: "run_failed", scope: { workflowIds: [id] } });
    const executionId = await run(true);
    const notice = await arrives('Workflow "Restart" failed');
    expect(notice.url).toBe(`${ORIGIN}/executions/${executionId}`);
    expect(notice.message.split("\n")).toEqual([
      `Execution: ${executionId}`,
      "Step: Restart it",
      expect.stringContaining("Error: nonzero_exit"),
      "Runbook: https://wiki.example/restart",
    ]);
    await run(true);
    await tick();
    const succeeded = await run(false);
    const recovered = await arrives('Workflow "Restart" succeeded again');
    expect(recovered.url).toBe(`${ORIGIN}/executions/${succeeded}`);
    await run(false);
    await tick();
    await run(true);
    await eventually("the second notice", async () => {
      await tick();
      return peer.requests.length === 3;
    });
    for (const _ of [1, 2, 3]) await tick();
    expect(subjects()).toEqual([
      'Workflow "Restart" failed',
      'Workflow "Restart" succeeded again',
      'Workflow "Restart" failed',
    ]);
    const read = () => call(bench.bellhop, "GET", `/notification-rules/${ruleId}/notices`);
    expect(await undescribed(api.getNotices, await read())).toEqual([]);
    const { notices } = await dataOf(await read(), 200, noticesSchema);
    expect(notices.map(({ subject, result }) => [subject, result])).toEqual(
      subjects()
        .toReversed()
        .map((subject) => [subject, "sent"]),
    );
  });

  test("is noticed without a tick within seconds", async () => {
    const { id, run } = await breakable("Soon");
    await rule({ on: "run_failed", scope: { workflowIds: [id] } });
    await tick();
    await run(true);
    await eventually("the notice", () => peer.requests.length === 1, 20_000);
  });

  test("is reported every time by a rule that says so, only in its scope, and after a restart once", async () => {
    const [tagged, other] = [await breakable("Tagged", ["payments"]), await breakable("Other")];
    await rule({ on: "run_failed", when: "every", recovered: false, scope: { tags: ["payments"] } });
    await tick();
    await tagged.run(true);
    await other.run(true);
    await bench.bellhop.restartWorker();
    await tagged.run(true);
    await tagged.run(false);
    await eventually("two notices", async () => {
      await tick();
      return peer.requests.length === 2;
    });
    await bench.bellhop.restartWorker();
    for (const _ of [1, 2, 3]) await tick();
    expect(subjects()).toEqual(['Workflow "Tagged" failed', 'Workflow "Tagged" failed']);
  });

  test("that was stopped by a limit is reported by the rule for limits, as is one that waits for it", async () => {
    const groupOf = async (whenReached: string) => {
      const body = { name: crypto.randomUUID(), maxRuns: 1, periodSeconds: 3_600, whenReached };
      return dataOf(await call(bench.bellhop, "POST", "/limits", body), 201, limitGroupSchema);
    };
    await rule({ on: "limit_reached" });
    bench.agent.does((job) => success(job));
    for (const [whenReached, subject] of [
      ["end", 'Workflow "a workflow" reached a limit'],
      ["approve", 'Workflow "a workflow" reached a limit and waits for an approval'],
    ] as const) {
      const limits = [{ groupId: (await groupOf(whenReached)).id, key: "a" }];
      const id = await bench.publish({ nodes: [bench.action("restart")], edges: [], limits });
      await bench.ended(await bench.execute(id));
      await bench.execute(id);
      expect((await arrives(subject)).message).toContain("is reached: at most 1 run in 1 h");
    }
    expect(peer.requests).toHaveLength(2);
  });
});

test("an approval that waits is reported with its question and link, once", async () => {
  await rule({ on: "approval_waiting" });
  const definition = { nodes: [{ id: "ask", type: "approval", message: "May it restart?" }], edges: [] };
  const executionId = await bench.run(definition);
  const notice = await arrives('Workflow "a workflow" waits for an approval');
  const message = `Execution: ${executionId}\nMay it restart?`;
  expect(notice).toMatchObject({ message, url: `${ORIGIN}/executions/${executionId}` });
  for (const _ of [1, 2, 3]) await tick();
  expect(peer.requests).toHaveLength(1);
});

test("a notice goes to its receiver's new address at the next attempt, without a tick", async () => {
  const { bellhop } = bench;
  peer.answer = ({ path }) => new Response("ok", { status: path === "/hook" ? 500 : 200 });
  await rule({ on: "approval_waiting" });
  await bench.run({ nodes: [{ id: "ask", type: "approval", message: "May it restart?" }], edges: [] });
  await eventually("the first attempt", async () => {
    await tick();
    return peer.requests.length > 0;
  });
  const [last] = await query(bellhop, "select id from notification_receivers order by id desc limit 1");
  const moved = { name: crypto.randomUUID(), type: "webhook", to: `${peer.url}/moved` };
  const changed = await call(bellhop, "PUT", `/notification-receivers/${String(last?.["id"])}`, moved);
  expect(changed.status).toBe(200);
  await eventually("the attempt at the new address", () => peer.requests.some(({ path }) => path === "/moved"), 20_000);
});

test("a schedule that was switched off is reported with its reason, once", async () => {
  const { bellhop } = bench;
  await rule({ on: "schedule_disabled" });
  const { connectionId, definition } = await scriptGraph(bellhop);
  const { id } = await createSchedule(bellhop, {}, definition);
  await call(bellhop, "POST", `/connections/${connectionId}/disable`);
  for (const _ of [1, 2, 3, 4, 5]) await tickWhenDue(bellhop, id);
  const notice = await arrives('The schedule of "a workflow" was switched off');
  expect(notice.message).toContain("5 scheduled runs in a row failed");
  for (const _ of [1, 2, 3]) await tick();
  expect(peer.requests).toHaveLength(1);
});

/** A tick so many minutes from now. */
const tickIn = (minutes: number) => bench.bellhop.worker.tick(new Date(Date.now() + minutes * 60_000));

test("an agent, its pool and its queue are reported when they are away for long, and when they are back", async () => {
  const { bellhop } = bench;
  const poolId = "away";
  const { apiKey } = await createAgent(bellhop, { name: "porter", poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register();
  expect((await agent.send("POST", "/offline", { held: [] })).status).toBe(200);
  for (const on of ["agent_offline", "pool_offline", "queue_old"]) await rule({ on, minutes: 5, poolIds: [poolId] });
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const waiting = { nodes: [bench.action("wait", "x", { connectionId })], edges: [] };
  const executionId = await bench.run(waiting);
  await bench.waiting(executionId, "wait");
  await tickIn(3);
  await tickIn(6);
  await tickIn(7);
  await eventually("three notices", () => peer.requests.length === 3);
  expect(subjects().toSorted()).toEqual([
    'A job waits too long in the pool "away"',
    'All agents of the pool "away" are offline',
    'The agent "porter" is offline',
  ]);
  await bench.cancel(executionId);
  await agent.register();
  await eventually("the ends", async () => {
    await tickIn(8);
    return peer.requests.length === 6;
  });
  expect(subjects().slice(3).toSorted()).toEqual([
    'No job waits too long in the pool "away"',
    'The agent "porter" is online again',
    'The pool "away" has an online agent again',
  ]);
});

test("a credential that an agent refused or did not fetch is reported once", async () => {
  await rule({ on: "credential_failed" });
  const { id } = await createConnection(bench.bellhop, { name: "shop-db" });
  const { agent } = await createAgent(bench.bellhop, { name: "vault" });
  const put = (version: number, status: string, error: string) =>
    query(
      bench.bellhop,
      `insert or replace into credentials (connection_id, agent_id, state, version, status, error, updated_at)
        values (?, ?, 'present', ?, ?, ?, ?)`,
      [id, agent.id, version, status, error, Date.now()],
    );
  await put(1, "failed", "It is for another agent.");
  const refused = await arrives('The credential of "shop-db" was refused by the agent "vault"');
  expect(refused).toMatchObject({ message: "It is for another agent.", url: `${ORIGIN}/connections/${id}` });
  await put(2, "expired", "No agent fetched it within 24 hours.");
  await arrives('The credential of "shop-db" did not reach the agent "vault"');
  for (const _ of [1, 2, 3]) await tick();
  expect(peer.requests).toHaveLength(2);
});

test("a database that is away is reported while it is away, and when it is back", async () => {
  await rule({ on: "database_trouble", minutes: 2 });
  await tick();
  await bench.bellhop.stopLibsql();
  await tick();
  await bench.bellhop.restartWorker();
  await tickIn(3);
  await eventually("the notice", () => peer.requests.length === 1);
  await bench.bellhop.startLibsql();
  await arrives("The service can read its database again");
  expect(subjects()).toEqual(["The service cannot read its database", "The service can read its database again"]);
});

test("a test sends one example to each receiver, and answers with each result", async () => {
  const ruleId = await rule({ on: "approval_waiting", enabled: false });
  const send = async () =>
    dataOf(await call(bench.bellhop, "POST", `/notification-rules/${ruleId}/test`), 200, ruleTestSchema);
  expect((await send()).results).toMatchObject([{ ok: true, detail: null }]);
  expect(received()).toMatchObject([{ subject: 'Test: Workflow "Example" waits for an approval' }]);
  peer.answer = () => new Response("gone", { status: 410 });
  expect((await send()).results).toMatchObject([{ ok: false, detail: expect.stringContaining("410") }]);
  const answer = await call(bench.bellhop, "POST", `/notification-rules/${ruleId}/test`);
  expect(await undescribed(api.testNotificationRule, answer)).toEqual([]);
});

test("a notice that its receiver refuses is shown with the rule", async () => {
  peer.answer = () => new Response("gone", { status: 410 });
  const { id, run } = await breakable("Refused");
  const ruleId = await rule({ on: "run_failed", scope: { workflowIds: [id] } });
  await run(true);
  const failed = await eventually("the failure", async () => {
    await tick();
    const answer = await call(bench.bellhop, "GET", `/notification-rules/${ruleId}`);
    return (await dataOf(answer, 200, notificationRuleSchema)).lastFailure;
  });
  expect(failed.detail).toContain("410");
});
