import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readOverview } from "../../schema/contract/api/overview.ts";
import { overviewSchema } from "../../schema/contract/overview.ts";
import type { Overview } from "../../schema/contract/overview.ts";
import { OVERVIEW_ITEMS_MAX } from "../../schema/limits.ts";
import { newId } from "../../worker/services/ids.ts";
import { AgentClient } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import { eventually } from "../support/eventually.ts";
import {
  DELAY_DEFINITION,
  call,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  verb,
} from "../support/management-api.ts";
import { openWindow } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow } from "../support/management.ts";
import { createUser } from "../support/people.ts";
import { createSchedule, scriptGraph, tickWhenDue } from "../support/schedules.ts";
import { answerAs, asking, executeAs, publishAs, saveAs, signInPerson } from "../support/signed-in-people.ts";
import type { Send, SignedInPerson } from "../support/signed-in-people.ts";

let bellhop: Bellhop;
let editor: SignedInPerson;
let operator: SignedInPerson;
let viewer: SignedInPerson;
let admin: Send;
beforeAll(async () => {
  bellhop = await startBellhop();
  await createUser(bellhop);
  [editor, operator, viewer] = await Promise.all([
    signInPerson(bellhop, "editor"),
    signInPerson(bellhop, "operator"),
    signInPerson(bellhop, "viewer"),
  ]);
  admin = (method, path, body) => bellhop.api(method, `/api/v1/automation${path}`, body);
});
afterAll(() => bellhop.stop());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const read = async (send: Send = admin): Promise<Overview> =>
  dataOf(await send("GET", "/overview"), 200, overviewSchema);

async function asks(more: object = {}, message = "Restart it?"): Promise<string> {
  const node = { id: "ask", name: "Ask a person", type: "approval", message, ...more };
  return executeAs(editor.send, await publishAs(editor.send, await saveAs(editor.send, { nodes: [node], edges: [] })));
}

async function approvalOf(executionId: string, send: Send) {
  await asking(bellhop, executionId);
  return (await read(send)).approvals.items.find((approval) => approval.executionId === executionId);
}

describe("waiting approvals", () => {
  test("have their question, and whether the caller may answer", async () => {
    const executionId = await asks({ timeoutSeconds: 3_600 }, "Fail over to db-2?");
    const found = await approvalOf(executionId, operator.send);
    expect(found).toMatchObject({
      workflowName: "asks",
      nodeId: "ask",
      nodeName: "Ask a person",
      message: "Fail over to db-2?",
      mayAnswer: true,
      refusal: null,
    });
    expect(Date.parse(found?.until ?? "") - Date.parse(found?.askedAt ?? "")).toBe(HOUR_MS);
    const refused = await approvalOf(executionId, viewer.send);
    expect(refused).toMatchObject({ mayAnswer: false, refusal: expect.stringContaining("automation:approve") });
    await answerAs(bellhop, operator.send, executionId);
    expect((await read()).approvals.items.map((approval) => approval.executionId)).not.toContain(executionId);
  });

  test.each([
    ["another person than the starter", { by: "another" }, "You started this execution"],
    ["an administrator", { approvers: { roles: ["admin"] } }, "Only an administrator may answer"],
  ])("by %s show others why they may not answer", async (_who, rule, reason) => {
    const executionId = await asks(rule);
    const found = await approvalOf(executionId, editor.send);
    expect(found).toMatchObject({ mayAnswer: false, refusal: expect.stringContaining(reason) });
    await call(bellhop, "POST", `/executions/${executionId}/cancel`);
    expect((await read()).approvals.items).toEqual([]);
  });

  test("are the oldest ones, and `more` says that there are others", async () => {
    const node = { id: "ask", type: "approval", message: "This one? {{foreach.item}}" };
    const items = JSON.stringify(Array.from({ length: OVERVIEW_ITEMS_MAX + 1 }, (_, index) => index));
    const each = { id: "each", type: "forEach", items, concurrency: 50, body: { nodes: [node], edges: [] } };
    const id = await publishAs(editor.send, await saveAs(editor.send, { nodes: [each], edges: [] }));
    const executionId = await executeAs(editor.send, id);
    const { approvals } = await eventually("all to ask", async () => {
      const overview = await read(operator.send);
      return overview.approvals.more ? overview : null;
    });
    const times = approvals.items.map(({ askedAt }) => askedAt);
    expect(times).toEqual(times.toSorted());
    expect(approvals.items.every(({ iteration, message }) => message === `This one? ${iteration?.[0]}`)).toBe(true);
    expect(approvals.items).toHaveLength(OVERVIEW_ITEMS_MAX);
    await call(bellhop, "POST", `/executions/${executionId}/cancel`);
  });
});

test("open critical and high incidents are shown, the critical ones first, the oldest first", async () => {
  const report = async (title: string, severity: string) => {
    const { data } = (await (await call(bellhop, "POST", "/incidents", { title, severity })).json()) as {
      data: { id: string };
    };
    return data.id;
  };
  await report("a slow disk", "high");
  await report("a full disk", "low");
  const acknowledged = await report("checkout is down", "critical");
  await report("search is down", "critical");
  await report("a slow queue", "high");
  await call(bellhop, "POST", `/incidents/${await report("over", "critical")}/resolve`, {});
  await call(bellhop, "POST", `/incidents/${acknowledged}/acknowledge`, {});
  const { incidents } = await read();
  expect(incidents.items.map(({ title, status }) => [title, status])).toEqual([
    ["checkout is down", "acknowledged"],
    ["search is down", "triggered"],
    ["a slow disk", "triggered"],
    ["a slow queue", "triggered"],
  ]);
});

test("a job that waits for more than five minutes is shown with its reason and its node", async () => {
  const { definition } = await scriptGraph(bellhop);
  const { id } = await createWorkflow(bellhop, { name: "waits", trigger: { type: "manual" }, definition });
  await verb(bellhop, id, "publish");
  const executionId = await executeAs(admin, id);
  await eventually(
    "the job to be stored",
    async () => (await query(bellhop, "select id from jobs where execution_id = ?", [executionId])).length === 1,
  );
  const age = (ms: number) =>
    query(bellhop, "update jobs set queued_at = ? where execution_id = ?", [Date.now() - ms, executionId]);
  await age(4 * MINUTE_MS);
  expect((await read()).waitingJobs.items).toEqual([]);
  await age(6 * MINUTE_MS);
  const shown = {
    executionId,
    workflowName: "waits",
    nodeId: "run",
    nodeName: "run",
    waiting: { code: "no_agent" },
  };
  await eventually("the job to be in its queue", async () => (await read()).waitingJobs.items.length === 1);
  expect((await read()).waitingJobs.items).toMatchObject([shown]);
  // The sweep confirms the job; it still waits.
  await bellhop.worker.tick(new Date());
  const [{ confirmed_at: confirmedAt = null } = {}] = await query(
    bellhop,
    "select confirmed_at from jobs where execution_id = ?",
    [executionId],
  );
  expect(confirmedAt).not.toBeNull();
  expect((await read()).waitingJobs.items).toMatchObject([shown]);
  await call(bellhop, "POST", `/executions/${executionId}/cancel`);
  expect((await read()).waitingJobs.items).toEqual([]);
});

describe("failing workflows", () => {
  const fail = async (workflowId: string, startedAt: number, count = 1, error = "it broke") => {
    const rows = Array.from({ length: count }, (_, index) => newId("execution", startedAt + index));
    await query(
      bellhop,
      `INSERT INTO executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, error, started_at, finished_at)
        SELECT value, ?, 'wfv_x', 'failed', '{"type":"cron"}', value, 1, json_object('code', 'x', 'message', ?), ? + key, ? + key
        FROM json_each(?)`,
      [workflowId, error, startedAt, startedAt, JSON.stringify(rows)],
    );
    return rows.at(-1);
  };
  const failing = async (names: readonly string[]) => {
    const { failing: section } = await read();
    const own = section.items.filter(({ workflowName }) => names.includes(workflowName));
    return own.map(({ workflowName, failures, newest }) => [workflowName, failures, newest.message]);
  };

  test("are all shown, however often one of them fails", async () => {
    const names = ["rare", "frequent", "former"];
    const [rare, frequent, former] = await Promise.all(
      names.map(async (name) => (await createWorkflow(bellhop, { name })).id),
    );
    const now = Date.now();
    await fail(rare ?? "", now - 23 * HOUR_MS, 2, "the certificate has expired");
    await fail(former ?? "", now - 25 * HOUR_MS);
    const newest = await fail(frequent ?? "", now - HOUR_MS, 1_200, "x".repeat(2_000));
    expect(await failing(names)).toEqual([
      ["frequent", 1_000, "x".repeat(500)],
      ["rare", 2, "the certificate has expired"],
    ]);
    const { items, from } = (await read()).failing;
    expect(items.find(({ workflowId }) => workflowId === frequent)?.newest.executionId).toBe(newest ?? "");
    // The list from the same time has the same executions.
    const list = await admin("GET", `/executions?status=failed&workflowId=${rare}&from=${from}`);
    expect(((await list.json()) as { data: unknown[] }).data).toHaveLength(2);
  });
});

test("a schedule that the service switched off is shown with its reason", async () => {
  const graph = await scriptGraph(bellhop);
  const { id, name } = await createSchedule(bellhop, {}, graph.definition);
  await call(bellhop, "POST", `/connections/${graph.connectionId}/disable`);
  for (let time = 0; time < 5; time += 1) await tickWhenDue(bellhop, id);
  const { switchedOff } = await read();
  expect(switchedOff.items).toMatchObject([
    { id, name, autoDisableReason: expect.stringContaining("5 scheduled runs") },
  ]);
  const { revision } = switchedOff.items[0] ?? { revision: 0 };
  expect((await admin("POST", `/workflows/${id}/activate`)).status).toBe(200);
  expect(revision).toBeGreaterThan(0);
  expect((await read()).switchedOff.items).toEqual([]);
});

test("agents are counted by status, and those that went offline are listed", async () => {
  const { agents: before } = await read();
  const { apiKey } = await createAgent(bellhop, { name: "online", poolId: "edge" });
  await new AgentClient(bellhop, apiKey).register();
  const { agent: gone } = await createAgent(bellhop, { name: "gone" });
  const { agent: disabled } = await createAgent(bellhop, { name: "disabled" });
  await createAgent(bellhop, { name: "never started" });
  await call(bellhop, "POST", `/agents/${disabled.id}/disable`);
  await query(bellhop, "update agents set last_heartbeat_at = ? where id in (?, ?)", [
    Date.now() - HOUR_MS,
    gone.id,
    disabled.id,
  ]);
  const { agents } = await read();
  const { online, offline, neverStarted, disabled: off } = before.counts;
  expect(agents.counts).toEqual({
    ...before.counts,
    online: online + 1,
    offline: offline + 1,
    neverStarted: neverStarted + 1,
    disabled: off + 1,
  });
  expect(agents.items.map(({ name, status }) => [name, status])).toEqual([["gone", "Offline"]]);
});

test("running executions are shown from the oldest, with the number of all, and whether they wait", async () => {
  const definition = { ...DELAY_DEFINITION, concurrency: { mode: "queue", key: "nginx" } };
  const { id } = await createWorkflow(bellhop, { name: "slow", trigger: { type: "manual" }, definition });
  await verb(bellhop, id, "publish");
  const first = await executeAs(admin, id);
  const second = await executeAs(admin, id);
  await eventually("both to run", async () => (await read()).running.items.some((run) => run.executionId === second));
  const { running } = await read();
  const own = running.items.filter(({ workflowName }) => workflowName === "slow");
  expect(own.map(({ executionId, triggerType, key }) => [executionId, triggerType, key])).toEqual([
    [first, "manual", "nginx"],
    [second, "manual", "nginx"],
  ]);
  expect(running.count).toBe(running.items.length);
  expect(own.map(({ isWaiting }) => isWaiting)).toEqual([true, true]);
});

test("runs that a window asks about have their key and their window, until a person runs them", async () => {
  const definition = { ...DELAY_DEFINITION, concurrency: { mode: "queue", key: "{{webhook.service}}" } };
  const { workflowId, ring } = await createWebhookWorkflow(bellhop, definition);
  const window = await openWindow(bellhop, { workflowIds: [workflowId], mode: "ask", name: "Failover" });
  const executionId = await acceptedId(await ring({ variables: { service: "payments" } }));
  const asked = await eventually("the question", async () => (await read()).asked.items[0]);
  expect(asked).toMatchObject({
    executionId,
    workflowId,
    key: "payments",
    window: { id: window.id, name: "Failover" },
  });
  expect((await admin("POST", `/executions/${executionId}/begin`)).ok).toBe(true);
  expect((await read()).asked.items).toEqual([]);
});

test("the set-up names connections whose agents lack the credential", async () => {
  const config = { host: "bastion", username: "ops", authMethod: "password" };
  const { id } = await createConnection(bellhop, { name: "a bastion", type: "ssh", config });
  const named = async () => (await read()).setUp.withoutCredential.items.map(({ name }) => name);
  expect((await read()).setUp).toMatchObject({ hasAgent: true, hasConnection: true, hasWorkflow: true });
  expect(await named()).toContain("a bastion");
  await call(bellhop, "POST", `/connections/${id}/disable`);
  expect(await named()).not.toContain("a bastion");
});

test("takes no filter, and answers as described", async () => {
  expect(await errorPathsOf(await admin("GET", "/overview?status=failed"))).toEqual(["status"]);
  expect(await undescribed(readOverview, await admin("GET", "/overview"))).toEqual([]);
});
