import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as api from "../../schema/contract/api/notification-rules.ts";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { noticesSchema, notificationRuleSchema, ruleTestSchema } from "../../schema/contract/notification-rule.ts";
import { success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";
import { call, createWorkflow, dataOf, verb } from "../support/management-api.ts";
import { NoticeBench, ORIGIN } from "../support/notice-bench.ts";
import { createSchedule, scriptGraph, tickWhenDue } from "../support/schedules.ts";
import { failure } from "../support/working-agent.ts";

/** Events of workflows, and rules themselves, from the real service to a real HTTP server. */
let place: NoticeBench;
beforeAll(async () => {
  place = await NoticeBench.start();
});
afterAll(() => place.stop());
beforeEach(() => place.renewPeer());

/** A workflow of one script, which fails while `isBroken`. */
async function breakable(name: string, tags: string[] = []) {
  const { bellhop } = place.bench;
  const definition = { nodes: [place.bench.action("restart", "x", { name: "Restart it" })], edges: [] };
  const body = { name, tags, definition, trigger: { type: "manual" }, runbookUrl: "https://wiki.example/restart" };
  const { id } = await createWorkflow(bellhop, body);
  await verb(bellhop, id, "publish");
  const run = async (isBroken: boolean) => {
    place.bench.agent.does((job) => (isBroken ? failure(job, "nonzero_exit") : success(job)));
    return (await place.bench.ended(await place.bench.execute(id))).id;
  };
  return { id, run };
}

describe("a failed execution", () => {
  test("is reported by its first failure, with its step, error and links, and its recovery once", async () => {
    const { id, run } = await breakable("Restart");
    const ruleId = await place.rule({ on: "run_failed", scope: { workflowIds: [id] } });
    const executionId = await run(true);
    const notice = await place.arrives('Workflow "Restart" failed');
    expect(notice.url).toBe(`${ORIGIN}/executions/${executionId}`);
    expect(notice.message.split("\n")).toEqual([
      `Execution: ${executionId}`,
      "Step: Restart it",
      expect.stringContaining("Error: nonzero_exit"),
      "Runbook: https://wiki.example/restart",
    ]);
    await run(true);
    await place.tick();
    const succeeded = await run(false);
    const recovered = await place.arrives('Workflow "Restart" succeeded again');
    expect(recovered.url).toBe(`${ORIGIN}/executions/${succeeded}`);
    await run(false);
    await place.tick();
    await run(true);
    await eventually("the second notice", async () => {
      await place.tick();
      return place.peer.requests.length === 3;
    });
    for (const _ of [1, 2, 3]) await place.tick();
    expect(place.subjects()).toEqual([
      'Workflow "Restart" failed',
      'Workflow "Restart" succeeded again',
      'Workflow "Restart" failed',
    ]);
    const read = () => call(place.bench.bellhop, "GET", `/notification-rules/${ruleId}/notices`);
    expect(await undescribed(api.getNotices, await read())).toEqual([]);
    const { notices } = await dataOf(await read(), 200, noticesSchema);
    expect(notices.map(({ subject, result }) => [subject, result])).toEqual(
      place
        .subjects()
        .toReversed()
        .map((subject) => [subject, "sent"]),
    );
  });

  test("is noticed without a tick within seconds", async () => {
    const { id, run } = await breakable("Soon");
    await place.rule({ on: "run_failed", scope: { workflowIds: [id] } });
    await place.tick();
    await run(true);
    await eventually("the notice", () => place.peer.requests.length === 1, 20_000);
  });

  test("is reported every time by a rule that says so, only in its scope, and after a restart once", async () => {
    const [tagged, other] = [await breakable("Tagged", ["payments"]), await breakable("Other")];
    await place.rule({ on: "run_failed", when: "every", recovered: false, scope: { tags: ["payments"] } });
    await place.tick();
    await tagged.run(true);
    await other.run(true);
    await place.bench.bellhop.restartWorker();
    await tagged.run(true);
    await tagged.run(false);
    await eventually("two notices", async () => {
      await place.tick();
      return place.peer.requests.length === 2;
    });
    await place.bench.bellhop.restartWorker();
    for (const _ of [1, 2, 3]) await place.tick();
    expect(place.subjects()).toEqual(['Workflow "Tagged" failed', 'Workflow "Tagged" failed']);
  });

  test("that was stopped by a limit is reported by the rule for limits, as is one that waits for it", async () => {
    const groupOf = async (whenReached: string) => {
      const body = { name: crypto.randomUUID(), maxRuns: 1, periodSeconds: 3_600, whenReached };
      return dataOf(await call(place.bench.bellhop, "POST", "/limits", body), 201, limitGroupSchema);
    };
    await place.rule({ on: "limit_reached" });
    place.bench.agent.does((job) => success(job));
    for (const [whenReached, subject] of [
      ["end", 'Workflow "a workflow" reached a limit for a'],
      ["approve", 'Workflow "a workflow" reached a limit and waits for an approval for a'],
    ] as const) {
      const limits = [{ groupId: (await groupOf(whenReached)).id, key: "a" }];
      const id = await place.bench.publish({ nodes: [place.bench.action("restart")], edges: [], limits });
      await place.bench.ended(await place.bench.execute(id));
      await place.bench.execute(id);
      expect((await place.arrives(subject)).message).toContain("is reached: at most 1 run in 1 h");
    }
    expect(place.peer.requests).toHaveLength(2);
  });
});

test("an approval that waits is reported with its question and link, once", async () => {
  await place.rule({ on: "approval_waiting" });
  const definition = { nodes: [{ id: "ask", type: "approval", message: "May it restart?" }], edges: [] };
  const executionId = await place.bench.run(definition);
  const notice = await place.arrives('Workflow "a workflow" waits for an approval');
  const message = `Execution: ${executionId}\nMay it restart?`;
  expect(notice).toMatchObject({ message, url: `${ORIGIN}/executions/${executionId}` });
  for (const _ of [1, 2, 3]) await place.tick();
  expect(place.peer.requests).toHaveLength(1);
});

test("a notice goes to its receiver's new address at the next attempt, without a tick", async () => {
  const { bellhop } = place.bench;
  place.peer.answer = ({ path }) => new Response("ok", { status: path === "/hook" ? 500 : 200 });
  await place.rule({ on: "approval_waiting" });
  await place.bench.run({ nodes: [{ id: "ask", type: "approval", message: "May it restart?" }], edges: [] });
  await eventually("the first attempt", async () => {
    await place.tick();
    return place.peer.requests.length > 0;
  });
  const [last] = await query(bellhop, "select id from notification_receivers order by id desc limit 1");
  const moved = { name: crypto.randomUUID(), type: "webhook", to: `${place.peer.url}/moved` };
  const changed = await call(bellhop, "PUT", `/notification-receivers/${String(last?.["id"])}`, moved);
  expect(changed.status).toBe(200);
  await eventually(
    "the attempt at the new address",
    () => place.peer.requests.some(({ path }) => path === "/moved"),
    20_000,
  );
});

test("a schedule that was switched off is reported with its reason, once", async () => {
  const { bellhop } = place.bench;
  await place.rule({ on: "schedule_disabled" });
  const { connectionId, definition } = await scriptGraph(bellhop);
  const { id } = await createSchedule(bellhop, {}, definition);
  await call(bellhop, "POST", `/connections/${connectionId}/disable`);
  for (const _ of [1, 2, 3, 4, 5]) await tickWhenDue(bellhop, id);
  const notice = await place.arrives('The schedule of "a workflow" was switched off');
  expect(notice.message).toContain("5 scheduled runs in a row failed");
  for (const _ of [1, 2, 3]) await place.tick();
  expect(place.peer.requests).toHaveLength(1);
});

test("a test sends one example to each receiver, and answers with each result", async () => {
  const ruleId = await place.rule({ on: "approval_waiting", enabled: false });
  const send = async () =>
    dataOf(await call(place.bench.bellhop, "POST", `/notification-rules/${ruleId}/test`), 200, ruleTestSchema);
  expect((await send()).results).toMatchObject([{ ok: true, detail: null }]);
  expect(place.received()).toMatchObject([{ subject: 'Test: Workflow "Example" waits for an approval' }]);
  place.peer.answer = () => new Response("gone", { status: 410 });
  expect((await send()).results).toMatchObject([{ ok: false, detail: expect.stringContaining("410") }]);
  const answer = await call(place.bench.bellhop, "POST", `/notification-rules/${ruleId}/test`);
  expect(await undescribed(api.testNotificationRule, answer)).toEqual([]);
});

test("a notice that its receiver refuses is shown with the rule", async () => {
  place.peer.answer = () => new Response("gone", { status: 410 });
  const { id, run } = await breakable("Refused");
  const ruleId = await place.rule({ on: "run_failed", scope: { workflowIds: [id] } });
  await run(true);
  const failed = await eventually("the failure", async () => {
    await place.tick();
    const answer = await call(place.bench.bellhop, "GET", `/notification-rules/${ruleId}`);
    return (await dataOf(answer, 200, notificationRuleSchema)).lastFailure;
  });
  expect(failed.detail).toContain("410");
});
