import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { Job } from "../../schema/contract/agent.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection, createWorkflow, dataOf, verb } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const MODES = ["queue", "skip", "cancelPrevious"] as const;
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("start" as const), key: fc.constantFrom("a", "b"), at: fc.nat(2) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("work" as const), jobs: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

test("random starts, ends, cancels and restarts: one run for each key has begun, and every run ends", async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 30 }), play), {
    numRuns: 3,
    endOnFailure: true,
  });
});

async function play(actions: readonly (typeof action extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
  const poolId = `pool-${crypto.randomUUID()}`;
  const { id: connectionId } = await createConnection(bellhop, { poolId });
  const node = (id: string) => ({
    id,
    type: "action",
    action: "script.bash",
    connectionId,
    params: { script: "true" },
  });
  const workflows = await Promise.all(
    MODES.map(async (mode) => {
      const concurrency = { mode, key: "{{inputs.key}}" };
      const definition = { nodes: [node("a"), node("b")], edges: [{ from: "a", to: "b", on: "success" }], concurrency };
      const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" }, definition });
      await verb(bellhop, id, "publish");
      return id;
    }),
  );
  const { apiKey } = await createAgent(bellhop, { poolId });
  const agent = new AgentClient(bellhop, apiKey);
  await agent.register({ maxConcurrentJobs: 50 });
  const started: string[] = [];
  const held = new Map<string, Job>();

  const look = async () => {
    const refs = [...held.values()].map(({ id, lease }) => ({ jobId: id, lease }));
    for (const job of (await agent.poll(refs, 50)).jobs) held.set(job.id, job);
  };
  const finish = async (jobs: number) => {
    await look();
    const done = [...held.values()].slice(0, jobs);
    if (done.length > 0) await agent.report(...done.map((job) => success(job)));
    for (const { id } of done) held.delete(id);
  };
  const check = async () => {
    const begun = await query(
      bellhop,
      `select max(runs) runs from (select count(*) runs from executions where status = 'running' and hold is null
       and concurrency_key is not null group by workflow_id, concurrency_key)`,
    );
    expect(Number(begun[0]?.["runs"] ?? 0)).toBeLessThanOrEqual(1);
  };

  for (const step of actions) {
    if (step.do === "start") {
      const body = { variables: { key: step.key } };
      const response = await call(bellhop, "POST", `/workflows/${workflows[step.at] ?? ""}/execute`, body);
      started.push((await dataOf(response, 201, triggerAnswerSchema)).executionId);
    } else if (step.do === "work") await finish(step.jobs);
    else if (step.do === "cancel") {
      const id = started[step.which % Math.max(1, started.length)];
      if (id !== undefined) await (await call(bellhop, "POST", `/executions/${id}/cancel`)).arrayBuffer();
    } else {
      await bellhop.restartWorker();
      await eventually("the agent to register", () => agent.register({ maxConcurrentJobs: 50 }).catch(() => null));
    }
    await check();
  }
  await eventually("every run to end", async () => {
    await finish(50);
    await check();
    const open = await query(bellhop, "select id from executions where status = 'running'");
    return open.length === 0;
  });
  const stored = await query(bellhop, "select id from executions");
  expect(stored.map((row) => row["id"])).toEqual(expect.arrayContaining(started));
}
