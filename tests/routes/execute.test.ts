import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { executionSchema, executionSummarySchema, jobViewSchema } from "../../schema/contract/execution.ts";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { newId } from "../../worker/services/ids.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  call,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  problemOf,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const get = async (id: string): Promise<ExecutionView> =>
  dataOf(await call(bellhop, "GET", `/executions/${id}`), 200, executionSchema);
const execute = (id: string, body?: object) => call(bellhop, "POST", `/workflows/${id}/execute`, body);
const list = async (search: string) =>
  pageOf(await call(bellhop, "GET", `/executions?${search}`), executionSummarySchema);

/** A published workflow of one script, on its own pool. */
async function scriptWorkflow(trigger: object = { type: "manual" }) {
  const poolId = `pool-${crypto.randomUUID()}`;
  const connection = await createConnection(bellhop, { poolId });
  const node = {
    id: "run",
    type: "action",
    action: "script.bash",
    connectionId: connection.id,
    params: { script: "id" },
  };
  const { id } = await createWorkflow(bellhop, { trigger, definition: { nodes: [node], edges: [] } });
  await verb(bellhop, id, "publish");
  return { id, poolId, connectionId: connection.id };
}

async function started(id: string, body?: object): Promise<string> {
  const answer = await dataOf(await execute(id, body), 201, triggerAnswerSchema);
  return answer.executionId;
}

describe("executing a workflow", () => {
  test("a published workflow runs without being active, and its trigger says so", async () => {
    const { id } = await scriptWorkflow();
    const answer = await dataOf(await execute(id, { variables: { host: "web-1" } }), 201, triggerAnswerSchema);
    expect(answer.status).toBe("running");
    expect(answer.executionId).toMatch(/^exe_/u);
    const execution = await get(answer.executionId);
    expect(execution).toMatchObject({
      workflowId: id,
      status: "running",
      trigger: { type: "manual", variables: { host: "web-1" }, by: "bootstrap" },
      startedAt: answer.startedAt,
      finishedAt: null,
    });
    const log = await query(bellhop, "select detail from audit_log where subject_id = ? and verb = 'execute'", [id]);
    const { name } = await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
    expect(JSON.parse(String(log[0]?.["detail"]))).toMatchObject({ name, executionId: answer.executionId });
  });

  test("an unpublished workflow does not run", async () => {
    const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" } });
    const problem = await problemOf(await execute(id), 409, "conflict");
    expect(problem.detail).toContain("Publish it first");
    expect((await list(`workflowId=${id}`)).items).toEqual([]);
  });

  test("inputs are checked against the published trigger, and defaults are filled in", async () => {
    const inputs = {
      host: { type: "string", required: true },
      count: { type: "number", default: 3 },
      force: { type: "boolean" },
      tags: { type: "array" },
      more: { type: "object" },
    };
    const { id } = await scriptWorkflow({ type: "manual", inputs });
    const variables = { count: "three", force: 1, tags: {}, more: [], colour: "red" };
    expect(await errorPathsOf(await execute(id, { variables }))).toEqual([
      "variables.colour",
      "variables.count",
      "variables.force",
      "variables.host",
      "variables.more",
      "variables.tags",
    ]);
    expect((await list(`workflowId=${id}`)).items).toEqual([]);
    const execution = await get(await started(id, { variables: { host: "h", tags: [1], more: { a: 1 } } }));
    expect(execution.trigger).toMatchObject({ variables: { host: "h", count: 3, tags: [1], more: { a: 1 } } });
  });

  test("a workflow without inputs takes any variables; an invalid body is refused", async () => {
    const { id } = await scriptWorkflow({ type: "webhook" });
    const execution = await get(await started(id, { variables: { anything: { goes: [1, null] } } }));
    expect(execution.trigger).toEqual({
      type: "manual",
      variables: { anything: { goes: [1, null] } },
      by: "bootstrap",
    });
    expect(await errorPathsOf(await execute(id, { variables: [], inputs: {} }))).toEqual(["inputs", "variables"]);
  });
});

describe("executions", () => {
  test("an execution shows its node runs, why each waits, and what the dispatcher knows of the job before libSQL does", async () => {
    const { id, poolId } = await scriptWorkflow();
    const executionId = await started(id);
    const waiting = await eventually("the job to be queued", async () => {
      const [run] = (await get(executionId)).nodeRuns;
      return run?.waitingFor === null ? null : run;
    });
    expect(waiting).toMatchObject({ nodeId: "run", attempt: 1, output: null, error: null });
    expect(waiting).not.toHaveProperty("index");
    expect(waiting.timeline.queuedAt).toBeString();
    expect(waiting.timeline.deliveredAt).toBeNull();
    const jobOf = async () => dataOf(await call(bellhop, "GET", `/jobs/${waiting.jobId}`), 200, jobViewSchema);
    expect(await jobOf()).toMatchObject({
      status: "queued",
      poolId,
      executionId,
      agentId: null,
      waitingFor: waiting.waitingFor,
      waiting: { code: "no_agent", detail: waiting.waitingFor },
    });

    const { agent, apiKey } = await createAgent(bellhop, { poolId });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const job = await eventually("the job to be delivered", async () => (await client.poll()).jobs[0]);
    expect(await jobOf()).toMatchObject({ status: "delivered", agentId: agent.id, waitingFor: null });
    const [running] = (await get(executionId)).nodeRuns;
    expect(running).toMatchObject({ status: "running", waitingFor: null });
    expect(running?.timeline.deliveredAt).toBeString();
    expect(running?.timeline.startedAt).toBeString();
    expect((await jobOf()).timeline.startedAt).toBe(running?.timeline.startedAt ?? "");

    await client.report(success(job, { stdout: "uid=0", exitCode: 0 }));
    const ended = await eventually("the execution to end", async () => {
      const execution = await get(executionId);
      return execution.status === "running" ? null : execution;
    });
    expect(ended).toMatchObject({
      status: "succeeded",
      nodeRuns: [{ status: "succeeded", output: { stdout: "uid=0" } }],
    });
    expect(ended.finishedAt).toBeString();
    expect(await jobOf()).toMatchObject({ status: "succeeded", agentId: agent.id });
    for (const at of Object.values((await jobOf()).timeline)) expect(at).toBeString();
  });

  test("the list filters by workflow, status and start, newest first, in pages", async () => {
    const { id } = await scriptWorkflow();
    const other = await scriptWorkflow();
    await started(other.id);
    const made: string[] = [];
    for (let i = 0; i < 4; i += 1) made.unshift(await started(id));
    await call(bellhop, "POST", `/executions/${made[0]}/cancel`);
    const idsOf = async (search: string) => (await list(search)).items.map((execution) => execution.id);
    expect(await idsOf(`workflowId=${id}`)).toEqual(made);
    expect(await idsOf(`workflowId=${id}&status=cancelled`)).toEqual(made.slice(0, 1));
    expect(await idsOf(`workflowId=${id}&status=running`)).toEqual(made.slice(1));
    const [first, second] = await Promise.all([get(made[3] ?? ""), get(made[1] ?? "")]);
    const range = `from=${first.startedAt}&to=${second.startedAt}`;
    const expected = (await list(`workflowId=${id}`)).items
      .filter(({ startedAt }) => startedAt >= first.startedAt && startedAt <= second.startedAt)
      .map((execution) => execution.id);
    expect(await idsOf(`workflowId=${id}&${range}`)).toEqual(expected);
    expect(await idsOf(`workflowId=${id}&from=2100-01-01T00:00:00Z`)).toEqual([]);
    const page = await list(`workflowId=${id}&limit=3`);
    expect(page.items.map((execution) => execution.id)).toEqual(made.slice(0, 3));
    const last = await list(`workflowId=${id}&limit=3&cursor=${page.nextCursor}`);
    expect(last.items.map((execution) => execution.id)).toEqual(made.slice(3));
    expect(last.nextCursor).toBeNull();
  });

  test("the list says which executions wait and finds them: for an agent until it has the job, or for an approval", async () => {
    const { id, poolId } = await scriptWorkflow();
    const executionId = await started(id);
    const ask = { id: "ask", type: "approval", message: "Restart?" };
    const { id: asks } = await createWorkflow(bellhop, { definition: { nodes: [ask], edges: [] } });
    await verb(bellhop, asks, "publish");
    const approval = await started(asks);
    const shown = async (search: string) => (await list(search)).items.map(({ id, isWaiting }) => [id, isWaiting]);
    await eventually("the approval to wait", async () => (await shown(`workflowId=${asks}`))[0]?.[1]);
    expect(await shown(`workflowId=${asks}&status=waiting`)).toEqual([[approval, true]]);
    await eventually("the job to wait", async () => (await shown(`workflowId=${id}`))[0]?.[1]);
    expect(await shown(`workflowId=${id}&status=waiting`)).toEqual([[executionId, true]]);
    expect((await shown("status=waiting&limit=2")).map(([id]) => id)).toEqual([approval, executionId]);

    const { apiKey } = await createAgent(bellhop, { poolId });
    const client = new AgentClient(bellhop, apiKey);
    await client.register();
    const job = await eventually("the job to be delivered", async () => (await client.poll()).jobs[0]);
    expect(await shown(`workflowId=${id}`)).toEqual([[executionId, false]]);
    expect(await shown(`workflowId=${id}&status=waiting`)).toEqual([]);
    await client.report(success(job, { stdout: "", exitCode: 0 }));
    await eventually("the execution to end", async () => (await get(executionId)).status === "succeeded");
    expect(await shown(`workflowId=${id}`)).toEqual([[executionId, false]]);
  });

  test("a waiting execution behind many that do not wait is on a later page", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    await verb(bellhop, workflowId, "publish");
    const waits = await started(workflowId);
    await eventually("the delay to begin", async () => (await list(`workflowId=${workflowId}`)).items[0]?.isWaiting);
    const newest = newId("execution", Date.now() + 60_000).slice(0, 28);
    await query(
      bellhop,
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
        insert into executions (id, workflow_id, version_id, status, trigger, trigger_key, revision, started_at)
        select ? || printf('%012x', i), e.workflow_id, e.version_id, 'running', e.trigger, i, 1, e.started_at
        from executions e, n where e.id = ?`,
      [newest, waits],
    );
    const first = await list(`workflowId=${workflowId}&status=waiting`);
    expect(first.items).toEqual([]);
    const second = await list(`workflowId=${workflowId}&status=waiting&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ items: [{ id: waits }], nextCursor: null });
    await query(bellhop, "delete from executions where id >= ?", [newest]);
  });

  test("invalid filters are refused, all in one response", async () => {
    const search = "status=done&from=yesterday&to=1700000000&limit=0";
    expect(await errorPathsOf(await call(bellhop, "GET", `/executions?${search}`))).toEqual([
      "from",
      "limit",
      "status",
      "to",
    ]);
  });

  test("cancelling ends an execution; cancelling again says how it ended", async () => {
    const { id } = await scriptWorkflow();
    const executionId = await started(id);
    const answer = await call(bellhop, "POST", `/executions/${executionId}/cancel`);
    expect(await dataOf(answer, 200, executionSchema)).toMatchObject({ id: executionId, status: "cancelled" });
    const again = await call(bellhop, "POST", `/executions/${executionId}/cancel`);
    expect((await problemOf(again, 409, "conflict")).detail).toContain("it is cancelled");
    const log = await query(bellhop, "select verb, actor from audit_log where subject_id = ?", [executionId]);
    expect(log).toMatchObject([{ verb: "cancel", actor: "bootstrap" }]);
  });

  test("unknown executions and jobs are 404", async () => {
    for (const path of ["/executions/exe_none", "/jobs/job_none"])
      expect((await problemOf(await call(bellhop, "GET", path), 404, "not_found")).detail).toContain("_none");
    await problemOf(await call(bellhop, "POST", "/executions/exe_none/cancel"), 404, "not_found");
  });
});
