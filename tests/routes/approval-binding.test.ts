import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { success } from "../support/agent-client.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection } from "../support/management.ts";
import { answerAs, childOf } from "../support/signed-in-people.ts";
import type { Send } from "../support/signed-in-people.ts";
import { failure, x } from "../support/working-agent.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** An approval is given to versions and targets: a version or target that changed afterwards does not run. */
let bench: WorkflowBench;
let send: Send;
let approved: string;
const host = (name: string) => ({ host: name, port: 22, username: "u", authMethod: "password" });

beforeAll(async () => {
  bench = await WorkflowBench.start();
  send = (method, path, body) => bench.bellhop.api(method, `/api/v1/automation${path}`, body);
});
afterAll(() => bench.stop());
beforeEach(async () => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => (x(job) === "hold" ? null : success(job)));
  approved = await createConnection(bench.bellhop, { type: "ssh", config: host("staging"), poolId: "p" });
});

const ask = { id: "ask", type: "approval", message: "Go?" };
const onTarget = (): JsonObject => ({
  id: "go",
  type: "action",
  action: "ssh.executeCommand",
  connectionId: approved,
  params: { command: "id" },
});

/** The nodes run one after the other. */
function chain(...nodes: JsonObject[]) {
  const edges = nodes.slice(1).map(({ id: to }, index) => {
    const { id: from, type } = nodes[index] ?? {};
    return { from, to, on: type === "approval" ? "approved" : "success" };
  });
  return { nodes, edges };
}

/** Approves the execution; the script after "hold" begins with `goOn`. */
async function approve(executionId: string): Promise<void> {
  bench.agent.jobs.length = 0;
  expect((await answerAs(bench.bellhop, send, executionId)).status).toBe(200);
}
async function held(): Promise<void> {
  await eventually("the agent to hold a job", () => Promise.resolve(bench.agent.given().includes("hold") || null));
}
function goOn(): void {
  bench.agent.does((job) => success(job));
  bench.agent.finishesHeld();
}
async function changeHost(): Promise<void> {
  expect((await send("PATCH", `/connections/${approved}`, { config: host("production") })).status).toBe(200);
}
async function endsOutdated(executionId: string, nodeId: string) {
  const execution = await bench.ended(executionId);
  expect(nodeRun(execution, nodeId)).toMatchObject({ status: "failed", error: { code: "approval_outdated" } });
  return execution;
}

describe("after an approval", () => {
  test("a connection that was pointed at another target gets no job", async () => {
    const executionId = await bench.run(chain(ask, bench.action("hold"), onTarget()));
    await approve(executionId);
    await held();
    await changeHost();
    goOn();
    await endsOutdated(executionId, "go");
    expect(bench.agent.given()).toEqual(["hold"]);
  });

  test("a connection that was given to another pool gets no job", async () => {
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "p" });
    const go = bench.action("go", "go", { connectionId });
    const executionId = await bench.run(chain(ask, bench.action("hold"), go));
    await approve(executionId);
    await held();
    await send("PATCH", `/connections/${connectionId}`, { poolId: "q" });
    goOn();
    await endsOutdated(executionId, "go");
  });

  test("a connection whose namespace changed gets no job, although no credential is bound to a namespace", async () => {
    const connectionId = await createConnection(bench.bellhop, {
      type: "kubernetes",
      config: { namespace: "staging" },
      poolId: "p",
    });
    const params = { deployment: "api" };
    const go = { id: "go", type: "action", action: "kubernetes.restartDeployment", connectionId, params };
    const executionId = await bench.run(chain(ask, bench.action("hold"), go));
    await approve(executionId);
    await held();
    await send("PATCH", `/connections/${connectionId}`, { config: { namespace: "production" } });
    goOn();
    await endsOutdated(executionId, "go");
  });

  test("nodes after an approved sub-workflow are bound to that approval, too", async () => {
    const workflowId = await bench.publish(chain(ask));
    const sub = { id: "sub", type: "workflow", workflowId };
    const outer = await bench.execute(await bench.publish(chain(sub, bench.action("hold"), onTarget())));
    await approve(await childOf(bench.bellhop, outer));
    await held();
    await changeHost();
    goOn();
    await endsOutdated(outer, "go");
  });

  test("a connection of which only the name changed gets its job", async () => {
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "p" });
    const executionId = await bench.run(chain(ask, bench.action("hold"), bench.action("go", "go", { connectionId })));
    await approve(executionId);
    await held();
    await send("PATCH", `/connections/${connectionId}`, { name: "another name" });
    goOn();
    expect((await bench.ended(executionId)).status).toBe("succeeded");
  });

  test("a job that waits for an agent ends when its connection is pointed at another target", async () => {
    const executionId = await bench.run(chain(ask, onTarget()));
    await approve(executionId);
    await eventually("the job to wait", async () =>
      nodeRun(await bench.get(executionId), "go").jobId === null ? null : true,
    );
    await changeHost();
    await endsOutdated(executionId, "go");
  });

  test("a sub-workflow that was published again does not start", async () => {
    const workflowId = await bench.publish(chain(bench.action("inner")));
    const executionId = await bench.run(chain(ask, bench.action("hold"), { id: "sub", type: "workflow", workflowId }));
    await approve(executionId);
    await held();
    await bench.republish(workflowId, chain(bench.action("evil")));
    goOn();
    await endsOutdated(executionId, "sub");
    expect(bench.agent.given()).toEqual(["hold"]);
  });

  test("a sub-workflow's connections and its own sub-workflows are bound to the approval, too", async () => {
    const inmost = await bench.publish(chain(bench.action("inmost")));
    const workflowId = await bench.publish(
      chain(bench.action("hold"), { id: "sub", type: "workflow", workflowId: inmost }, onTarget()),
    );
    const parent = await bench.publish(chain(ask, { id: "sub", type: "workflow", workflowId }));
    const first = await bench.execute(parent);
    await approve(first);
    await held();
    await changeHost();
    goOn();
    await endsOutdated(await childOf(bench.bellhop, first), "go");
    bench.agent.does((job) => (x(job) === "hold" ? null : success(job)));
    const second = await bench.execute(parent);
    await approve(second);
    await held();
    await bench.republish(inmost, chain(bench.action("evil")));
    goOn();
    await endsOutdated(await childOf(bench.bellhop, second), "sub");
    expect(bench.agent.given()).toEqual(["hold"]);
  });

  test("a retry that keeps the approval is bound to it, and a retry from the start asks again", async () => {
    bench.agent.does((job) => failure(job, "not yet"));
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "p" });
    const executionId = await bench.run(chain(ask, bench.action("first"), bench.action("go", "go", { connectionId })));
    await approve(executionId);
    await bench.ended(executionId);
    await send("PATCH", `/connections/${connectionId}`, { config: {}, poolId: "q" });
    await send("PATCH", `/connections/${connectionId}`, { poolId: null, agentId: await agentOfPool() });
    bench.agent.does((job) => success(job));
    await endsOutdated(await bench.retry(executionId, { from: "failed" }), "go");
    const again = await bench.retry(executionId, { from: "start" });
    await approve(again);
    expect((await bench.ended(again)).status).toBe("succeeded");
  });

  test("a second approval covers the versions and targets at its time", async () => {
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "q" });
    const first = { ...ask, id: "first" };
    const executionId = await bench.run(chain(first, ask, bench.action("go", "go", { connectionId })));
    const { id: nodeRunId } = await bench.waiting(executionId, "first");
    await send("POST", `/executions/${executionId}/approve`, { nodeRunId, decision: "approved" });
    await send("PATCH", `/connections/${connectionId}`, { poolId: "p" });
    await approve(executionId);
    expect((await bench.ended(executionId)).status).toBe("succeeded");
  });

  test("a second approval with other approvers does not renew the first", async () => {
    const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "q" });
    const first = { ...ask, id: "first", approvers: { roles: ["admin"] } };
    const executionId = await bench.run(chain(first, ask, bench.action("go", "go", { connectionId })));
    const { id: nodeRunId } = await bench.waiting(executionId, "first");
    await send("POST", `/executions/${executionId}/approve`, { nodeRunId, decision: "approved" });
    await send("PATCH", `/connections/${connectionId}`, { poolId: "p" });
    await approve(executionId);
    await endsOutdated(executionId, "go");
  });
});

test("without an approval an edit of a connection applies to the next job", async () => {
  const connectionId = await createConnection(bench.bellhop, { type: "script", poolId: "q" });
  const executionId = await bench.run(chain(bench.action("hold"), bench.action("go", "go", { connectionId })));
  await held();
  await send("PATCH", `/connections/${connectionId}`, { poolId: "p" });
  goOn();
  expect((await bench.ended(executionId)).status).toBe("succeeded");
});

async function agentOfPool(): Promise<string> {
  const agents = await send("GET", "/agents");
  const { data } = (await agents.json()) as { data: { id: string; poolId: string | null }[] };
  return data.find(({ poolId }) => poolId === "p")?.id ?? "";
}
