import { afterAll, beforeAll, expect, test } from "bun:test";
import { getJob } from "../../schema/contract/api/jobs.ts";
import type { JobView } from "../../schema/contract/execution.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import { problemOf } from "../support/management-api.ts";
import { refOf } from "../support/dispatcher-harness.ts";

/** An agent's report on a job that has already ended: it changes nothing, and is shown. */
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** An unsafe job that was fetched by an agent in its own pool. */
async function delivered(poolId: string) {
  const { agent: created, apiKey } = await createAgent(bellhop, { name: `${poolId}-1`, poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register();
  const connectionId = await createConnection(bellhop, { type: "script", poolId });
  const webhook = await createWebhookWorkflow(bellhop, {
    nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } }],
    edges: [],
  });
  const executionId = await acceptedId(await webhook.ring({ variables: {} }));
  const job = await eventually("the job", async () => (await agent.poll()).jobs[0]);
  return { agent, agentId: created.id, job, executionId };
}

function jobOf(id: string): Promise<JobView> {
  return call(bellhop, "GET", `/jobs/${id}`, undefined, getJob.answer.data);
}

test("the late result of a job that was lost with its agent's journal is shown, and the job stays failed", async () => {
  const { agent, agentId, job, executionId } = await delivered("late");
  expect(await jobOf(job.id)).not.toHaveProperty("lateResults");
  const next = new AgentClient(bellhop, agent.key);
  await next.register();
  const failed = await ended(bellhop, executionId);
  expect(failed.nodeRuns[0]?.error).toMatchObject({ code: "agent_lost" });
  expect(failed.nodeRuns[0]?.error?.message).toStartWith("Agent late-1 came back without its journal.");
  const before = await jobOf(job.id);
  expect(before).toMatchObject({ status: "failed" });

  const result = success(job, { stdout: "canary-output" });
  expect(await next.report(result)).toEqual(["stale"]);
  expect(await next.report(result)).toEqual(["stale"]);

  const { lateResults, ...rest } = await jobOf(job.id);
  expect(rest).toEqual(before);
  expect(lateResults).toEqual([
    {
      agentId,
      status: "succeeded",
      startedAt: result.startedAt,
      finishedAt: result.finishedAt,
      reportedAt: expect.any(String),
    },
  ]);
  expect(await ended(bellhop, executionId)).toEqual(failed);
});

test("a cancelled node run shows the times of its job, as the job does", async () => {
  const { agent, job, executionId } = await delivered("cancelled");
  await bellhop.api("POST", `/api/v1/automation/executions/${executionId}/cancel`);
  await ended(bellhop, executionId);
  await eventually("the agent to get the cancel", async () => (await agent.poll([refOf(job)])).cancelled[0]);
  expect(await agent.report({ ...success(job), status: "cancelled" })).toEqual(["accepted"]);
  const { timeline } = await jobOf(job.id);
  const [run] = (await getExecution(bellhop, executionId)).nodeRuns;
  expect(run?.status).toBe("cancelled");
  expect([timeline.assignedAt, timeline.deliveredAt, timeline.startedAt]).not.toContain(null);
  const { queuedAt, assignedAt, deliveredAt, startedAt, reportedAt } = timeline;
  expect(run?.timeline).toMatchObject({ queuedAt, assignedAt, deliveredAt, startedAt, reportedAt });
});

test.each([
  [
    "executions/null",
    "There is no execution null. It may have been deleted. GET /api/v1/automation/executions lists the existing ones.",
  ],
  ["jobs/null", "There is no job null. Look for it in its execution."],
])("an unknown id is a 404 that says where to look: %s", async (path, detail) => {
  const response = await bellhop.api("GET", `/api/v1/automation/${path}`);
  expect((await problemOf(response, 404, "not_found")).detail).toBe(detail);
});
