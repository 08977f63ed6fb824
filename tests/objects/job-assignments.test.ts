import { afterAll, beforeAll, expect, test } from "bun:test";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop?.stop());

async function join(name: string, poolId: string) {
  const { agent, apiKey } = await createAgent(bellhop, { name, poolId });
  const client = new AgentClient(bellhop, apiKey);
  await client.register();
  return { id: agent.id, client };
}

/** Returns without its journal, so that its jobs are lost immediately. */
async function loseJournal(client: AgentClient) {
  client.instanceId = "instance-2";
  client.journalId = "journal-2";
  await client.register();
}

async function startedJob(poolId: string, node: object) {
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const run = { id: "run", action: "script.bash", connectionId, params: { script: "id" }, ...node };
  const { ring } = await createWebhookWorkflow(bellhop, chain([run]));
  const executionId = await acceptedId(await ring());
  const jobId = await eventually("a job", async () => (await getExecution(bellhop, executionId)).nodeRuns[0]?.jobId);
  return { executionId, jobOf: () => call(bellhop, "GET", `/jobs/${jobId}`, undefined, jobViewSchema) };
}

const given = (client: AgentClient) =>
  eventually("the agent to get the job", async () => (await client.poll()).jobs[0]);

test("a lost job shows every agent that had it, while it continues and when it has ended", async () => {
  const first = await join("web-2", "history");
  const { executionId, jobOf } = await startedJob("history", { onAgentLost: "retry" });
  await given(first.client);
  const begun = { agentId: first.id, agentName: "web-2", attempt: 1, lostAt: null, why: null };
  const running = await jobOf();
  expect(running.assignments).toMatchObject([begun]);
  expect(running.assignments[0]?.startedAt).toBe(running.timeline.startedAt);
  expect(running.timeline.startedAt).toBeString();

  await loseJournal(first.client);
  const lost = { ...begun, lostAt: expect.any(String), why: expect.stringContaining("came back without its journal") };
  expect(await jobOf()).toMatchObject({ status: "assigned", assignments: [lost], timeline: { startedAt: null } });
  const second = await join("web-1", "history");
  await first.client.poll([], 0);
  const job = await given(second.client);
  await second.client.report(success(job));
  expect((await ended(bellhop, executionId)).status).toBe("succeeded");
  const over = await jobOf();
  expect(over.assignments).toMatchObject([
    lost,
    { agentId: second.id, agentName: "web-1", attempt: 2, lostAt: null, startedAt: over.timeline.startedAt },
  ]);
  expect(over.assignments[1]?.deliveredAt).toBe(over.timeline.deliveredAt ?? "");
});

test("a job that failed because its agent was lost shows that agent once, with the reason", async () => {
  const { id, client } = await join("web-3", "history-end");
  const { executionId, jobOf } = await startedJob("history-end", {});
  await given(client);
  await loseJournal(client);
  expect((await ended(bellhop, executionId)).nodeRuns[0]?.error?.code).toBe("agent_lost");
  const { assignments } = await jobOf();
  expect(assignments).toMatchObject([{ agentId: id, attempt: 1, lostAt: expect.any(String) }]);
});
