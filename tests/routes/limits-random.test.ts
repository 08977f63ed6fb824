import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { limitGroupSchema } from "../../schema/contract/limit-group.ts";
import { success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, dataOf } from "../support/management-api.ts";
import { WorkflowBench } from "../support/workflow-bench.ts";

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());

const MAX_RUNS = 2;
const PERIOD_SECONDS = 3_600;

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("start" as const),
      keys: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 }),
      at: fc.nat(2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("pass" as const), share: fc.constantFrom(0.4, 0.7) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const) }) },
);

test("random starts, restarts and times: no period has more runs than allowed, and each run that acted counts once", async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 8, maxLength: 16 }), play), {
    numRuns: 3,
    endOnFailure: true,
  });
});

async function play(actions: readonly (typeof action extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
  bench.agent.does((job) => success(job));
  const limits = await Promise.all(
    ["end", "approve"].map(async (whenReached) => {
      const body = { name: crypto.randomUUID(), maxRuns: MAX_RUNS, periodSeconds: PERIOD_SECONDS, whenReached };
      return dataOf(await call(bench.bellhop, "POST", "/limits", body), 201, limitGroupSchema);
    }),
  );
  const [ends, asks] = limits.map(({ id }) => ({ groupId: id, key: "{{inputs.key}}" }));
  const definitionWith = (...own: unknown[]) => ({
    nodes: [bench.action("one"), bench.action("beside")],
    edges: [],
    limits: own,
  });
  const workflows = [
    await bench.publish(definitionWith(ends)),
    await bench.publish(definitionWith(asks)),
    await bench.publish(definitionWith(ends, asks)),
  ];
  const started: string[] = [];
  for (const step of actions) {
    if (step.do === "start") {
      const workflow = workflows[step.at] ?? "";
      started.push(...(await Promise.all(step.keys.map((key) => bench.execute(workflow, { key })))));
    } else if (step.do === "pass") {
      const ids = JSON.stringify(limits.map(({ id }) => id));
      const by = step.share * PERIOD_SECONDS * 1_000;
      await query(
        bench.bellhop,
        "update limit_uses set at = at - ? where group_id in (select value from json_each(?))",
        [by, ids],
      );
    } else await bench.bellhop.restartWorker();
  }
  for (const [index, id] of started.entries()) {
    const last = await eventually(`${id} to end or ask`, async () => {
      const execution = await bench.get(id);
      const asking = execution.nodeRuns.find(({ waiting }) => waiting?.code === "approval");
      return execution.status !== "running" ? execution : asking === undefined ? null : { asking };
    });
    if (!("asking" in last)) continue;
    const decision = index % 2 === 0 ? "approved" : "rejected";
    await call(bench.bellhop, "POST", `/executions/${id}/approve`, { nodeRunId: last.asking.id, decision });
    await bench.ended(id);
  }
  for (const { id } of limits) await check(id);
  const [unlimited] = await query(
    bench.bellhop,
    `select count(*) as runs from executions e where exists (select 1 from jobs j where j.execution_id = e.id)
     and not exists (select 1 from limit_uses u where u.execution_id = e.id)`,
  );
  expect(Number(unlimited?.["runs"])).toBe(0);
  const [idle] = await query(
    bench.bellhop,
    `select count(*) as runs from limit_uses u where not exists (select 1 from jobs j where j.execution_id = u.execution_id)`,
  );
  expect(Number(idle?.["runs"])).toBe(0);
}

async function check(groupId: string): Promise<void> {
  const rows = await query(bench.bellhop, "select key, at, is_over_limit from limit_uses where group_id = ?", [
    groupId,
  ]);
  const uses = rows.map((row) => ({ key: row["key"], at: Number(row["at"]), isOver: Number(row["is_over_limit"]) }));
  for (const { key, at } of uses) {
    const same = uses.filter((one) => one.key === key && one.isOver === 0 && one.at <= at);
    expect(same.filter((one) => one.at > at - PERIOD_SECONDS * 1_000).length).toBeLessThanOrEqual(MAX_RUNS);
  }
}
