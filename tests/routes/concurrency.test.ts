import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { missedRunsSchema } from "../../schema/contract/cron.ts";
import { executionSchema } from "../../schema/contract/execution.ts";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { newId } from "../../worker/services/ids.ts";
import { objectNamed } from "../support/bellhop-object.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ended, getExecution } from "../support/management.ts";
import {
  call,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  verb,
} from "../support/management-api.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** A published workflow of one action, or two, and a registered agent that runs its jobs. */
async function workflow(concurrency: object, { actions = ["script.bash"] }: { actions?: string[] } = {}) {
  const poolId = `pool-${crypto.randomUUID()}`;
  const script = await createConnection(bellhop, { poolId });
  const http = await createConnection(bellhop, {
    poolId,
    type: "http",
    config: { baseUrl: "http://127.0.0.1:9", authType: "none" },
  });
  const nodes = actions.map((action, index) => ({
    id: `n${index}`,
    type: "action",
    action,
    connectionId: action === "http.request" ? http.id : script.id,
    params: action === "http.request" ? { path: "/" } : { script: "true" },
  }));
  const edges = nodes.slice(1).map(({ id }, index) => ({ from: `n${index}`, to: id, on: "success" }));
  const { id } = await createWorkflow(bellhop, {
    trigger: { type: "manual" },
    definition: { nodes, edges, concurrency },
  });
  await verb(bellhop, id, "publish");
  const { apiKey } = await createAgent(bellhop, { poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register({ capabilities: ["script", "http"], maxConcurrentJobs: 50 });
  const start = async (service = "") => {
    const response = await call(bellhop, "POST", `/workflows/${id}/execute`, { variables: { service } });
    return (await dataOf(response, 201, triggerAnswerSchema)).executionId;
  };
  return { id, agent, start };
}

const BY_SERVICE = { key: "{{inputs.service}}" };
const nextJob = (agent: AgentClient) => eventually("a job", async () => (await agent.poll([], 50)).jobs[0]);
const begun = (id: string) =>
  eventually(`${id} to begin`, async () => {
    const execution = await getExecution(bellhop, id);
    return execution.waiting === undefined && execution;
  });
const finish = async (agent: AgentClient, job: Job) => expect(await agent.report(success(job))).toEqual(["accepted"]);

describe("queue", () => {
  test("runs one at a time for each key, in the order of their starts, and says what each waits for", async () => {
    const { agent, start } = await workflow({ mode: "queue", ...BY_SERVICE });
    const [first, second, third, other] = [await start("a"), await start("a"), await start("a"), await start("b")];
    const jobs = await eventually("the jobs of both keys", async () => {
      const { jobs: found } = await agent.poll([], 50);
      return found.length === 2 && found;
    });
    const waiting = await getExecution(bellhop, second);
    expect(waiting).toMatchObject({
      status: "running",
      nodeRuns: [],
      waiting: {
        code: "earlier_run",
        executionId: first,
        detail: 'its turn: an earlier run with the key "a" has not ended',
      },
    });
    for (const job of jobs) await finish(agent, job);
    await ended(bellhop, first);
    await ended(bellhop, other);
    await finish(agent, await nextJob(agent));
    const [two, three] = [await ended(bellhop, second), await getExecution(bellhop, third)];
    expect(two.status).toBe("succeeded");
    expect(three.finishedAt).toBeNull();
    await finish(agent, await nextJob(agent));
    expect((await ended(bellhop, third)).status).toBe("succeeded");
  });

  test("without a key, and with an empty one, has one turn for the whole workflow", async () => {
    const { agent, start } = await workflow({ mode: "queue" });
    const [first, second] = [await start("a"), await start("b")];
    await finish(agent, await nextJob(agent));
    await ended(bellhop, first);
    expect((await begun(second)).status).toBe("running");
    const { agent: another, start: startWithKey } = await workflow({ mode: "queue", ...BY_SERVICE });
    const [without, withNone] = [await startWithKey(""), await startWithKey("")];
    expect((await getExecution(bellhop, withNone)).waiting?.executionId).toBe(without);
    await finish(another, await nextJob(another));
    expect((await begun(withNone)).status).toBe("running");
  });

  test("refuses what finds it full, and lists these among the missed runs", async () => {
    const { id, start } = await workflow({ mode: "queue", maxQueued: 1 });
    await start();
    await start();
    for (const refused of [await start(), await start()]) {
      const execution = await getExecution(bellhop, refused);
      expect(execution).toMatchObject({ status: "cancelled", error: { code: "queue_full" } });
      expect(execution.nodeRuns.map(({ status }) => status)).toEqual(["skipped"]);
    }
    const { items } = await pageOf(await call(bellhop, "GET", `/workflows/${id}/missed-runs`), missedRunsSchema);
    expect(items).toMatchObject([{ reason: "queue_full", count: 2 }]);
  });

  test("gives the turn of a cancelled run to the next", async () => {
    const { start } = await workflow({ mode: "queue" });
    const [first, second, third] = [await start(), await start(), await start()];
    await call(bellhop, "POST", `/executions/${second}/cancel`);
    expect(await ended(bellhop, second)).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    await call(bellhop, "POST", `/executions/${first}/cancel`);
    expect((await begun(third)).status).toBe("running");
  });

  test("gives the turn at the next minute when the call after an end was lost", async () => {
    const { start } = await workflow({ mode: "queue" });
    const [first, second] = [await start(), await start()];
    // An end that no object has published.
    await query(bellhop, "update executions set status = 'cancelled' where id = ?", [first]);
    expect((await getExecution(bellhop, second)).waiting).toMatchObject({ code: "earlier_run" });
    await bellhop.worker.tick(new Date());
    expect((await begun(second)).status).toBe("running");
  });

  test("survives a restart of the service", async () => {
    const { agent, start } = await workflow({ mode: "queue" });
    const [first, second] = [await start(), await start()];
    const job = await nextJob(agent);
    await bellhop.restartWorker();
    await eventually("the agent to register", () => agent.register().catch(() => null));
    await finish(agent, job);
    await ended(bellhop, first);
    expect((await begun(second)).status).toBe("running");
  });
});

test("skip ends a run that finds another one, and says which", async () => {
  const { agent, start } = await workflow({ mode: "skip", ...BY_SERVICE });
  const [first, second] = [await start("a"), await start("a")];
  const skipped = await getExecution(bellhop, second);
  expect(skipped).toMatchObject({ status: "cancelled", error: { code: "skipped_busy" } });
  expect(skipped.error?.message).toContain(first);
  await finish(agent, await nextJob(agent));
  await ended(bellhop, first);
  expect((await getExecution(bellhop, await start("a"))).status).toBe("running");
});

describe("cancelPrevious", () => {
  test("ends the run before it and those that wait, and begins", async () => {
    const { agent, start } = await workflow({ mode: "cancelPrevious" }, { actions: ["http.request"] });
    const first = await start();
    await nextJob(agent);
    const second = await start();
    expect(await ended(bellhop, first)).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
    expect((await begun(second)).status).toBe("running");
  });

  test("waits for an unsafe action that an agent has, and then begins", async () => {
    const { agent, start } = await workflow({ mode: "cancelPrevious" }, { actions: ["script.bash", "script.bash"] });
    const first = await start();
    const job = await nextJob(agent);
    const [second, third] = [await start(), await start()];
    expect(await ended(bellhop, second)).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
    expect(await agent.poll([{ jobId: job.id, lease: job.lease }])).toEqual({ jobs: [], cancelled: [] });
    expect(await getExecution(bellhop, third)).toMatchObject({ waiting: { executionId: first } });
    expect(await getExecution(bellhop, first)).toMatchObject({ status: "running", supersededBy: second });
    await finish(agent, job);
    const superseded = await ended(bellhop, first);
    expect(statusesOf(superseded)).toEqual(["cancelled", "succeeded", "skipped"]);
    expect(superseded).not.toHaveProperty("supersededBy");
    await finish(agent, await nextJob(agent));
    await finish(agent, await nextJob(agent));
    expect((await ended(bellhop, third)).status).toBe("succeeded");
  });

  test("ends a run that enters after a newer one: its event was started late", async () => {
    const { id, agent, start } = await workflow({ mode: "cancelPrevious" });
    const first = await start();
    const job = await nextJob(agent);
    const second = await start();
    const [version] = await query(bellhop, "select version_id from executions where id = ?", [first]);
    const runs = await objectNamed(bellhop, "WORKFLOW_RUNS", id);
    const startLate = async () => {
      const startedAt = Date.now() - 60_000;
      const late = newId("execution", startedAt);
      await runs.start({
        executionId: late,
        workflowId: id,
        versionId: String(version?.["version_id"]),
        trigger: { type: "manual", variables: {}, by: null },
        triggerKey: late,
        webhookKey: null,
        startedAt,
      });
      return ended(bellhop, late);
    };
    const message = `The newer run ${second} with the same key took its place.`;
    const superseded = { status: "cancelled", error: { code: "superseded", message } };
    expect(await startLate()).toMatchObject(superseded);
    await finish(agent, job);
    const nextOne = await nextJob(agent);
    expect(await startLate()).toMatchObject(superseded);
    await finish(agent, nextOne);
    expect((await ended(bellhop, second)).status).toBe("succeeded");
  });

  test("does not wait for an unsafe action that no agent has begun", async () => {
    const { start } = await workflow({ mode: "cancelPrevious" });
    const [first, second] = [await start(), await start()];
    expect(await ended(bellhop, first)).toMatchObject({ status: "cancelled", error: { code: "superseded" } });
    expect((await begun(second)).status).toBe("running");
  });
});

test("a workflow that calls itself runs within its own turn, and others wait for the whole of it", async () => {
  const { id, agent, start } = await workflow({ mode: "queue" });
  const { definition, ...rest } = await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
  const [last] = definition.nodes;
  const nodes = [
    {
      id: "isLast",
      type: "condition",
      when: { logic: "all", conditions: [{ field: "inputs.service", operator: "equals", value: "last" }] },
    },
    { id: "again", type: "workflow", workflowId: id, variables: { service: "last" } },
    last,
  ];
  const edges = [
    { from: "isLast", to: "n0", on: "true" },
    { from: "isLast", to: "again", on: "false" },
  ];
  const body = { name: rest.name, trigger: rest.trigger, definition: { nodes, edges, concurrency: { mode: "queue" } } };
  await dataOf(await call(bellhop, "PUT", `/workflows/${id}`, body), 200, workflowSchema);
  await verb(bellhop, id, "publish");
  const [first, second] = [await start(), await start("last")];
  const job = await nextJob(agent);
  expect((await getExecution(bellhop, second)).waiting?.executionId).toBe(first);
  await finish(agent, job);
  expect((await ended(bellhop, first)).status).toBe("succeeded");
  await finish(agent, await nextJob(agent));
  expect((await ended(bellhop, second)).status).toBe("succeeded");
});

test("allow, and no rule, run side by side", async () => {
  const { agent, start } = await workflow({ mode: "allow" });
  await Promise.all([start(), start()]);
  await eventually("both jobs", async () => (await agent.poll([], 50)).jobs.length === 2);
});

test("a key that is too long fails the run before it begins", async () => {
  const { start } = await workflow({ mode: "queue", ...BY_SERVICE });
  const execution = await getExecution(bellhop, await start("x".repeat(513)));
  expect(execution).toMatchObject({ status: "failed", error: { code: "key_too_long" } });
});

test.each<[object, string[]]>([
  [{ mode: "sometimes" }, ["definition.concurrency.mode"]],
  [{ mode: "queue", key: "" }, ["definition.concurrency.key"]],
  [{ mode: "queue", key: "{{nodes.n0.output.stdout}}" }, ["definition.concurrency.key"]],
  [{ mode: "queue", key: "{{incident.service}}" }, ["definition.concurrency.key"]],
  [{ mode: "queue", key: "{{inputs.password}}" }, ["definition.concurrency.key"]],
  [{ mode: "queue", key: "{{inputs}}" }, ["definition.concurrency.key"]],
  [{ mode: "queue", key: "{{inputs.host" }, ["definition.concurrency.key"]],
  [{ mode: "queue", maxQueued: 0 }, ["definition.concurrency.maxQueued"]],
  [{ mode: "queue", maxQueued: 10_001 }, ["definition.concurrency.maxQueued"]],
  [{ mode: "skip", maxQueued: 5 }, ["definition.concurrency.maxQueued"]],
  [{ mode: "queue", limit: 3 }, ["definition.concurrency.limit"]],
])("%j is refused", async (concurrency, paths) => {
  const inputs = { host: { type: "string" }, password: { type: "string", sensitive: true } };
  const definition = { nodes: [{ id: "n0", type: "delay", seconds: 1 }], edges: [], concurrency };
  const body = { name: "wrong", trigger: { type: "manual", inputs }, definition };
  expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", body))).toEqual(paths);
});

function statusesOf(execution: ExecutionView): string[] {
  return [executionSchema.parse(execution).status, ...execution.nodeRuns.map(({ status }) => status)];
}
