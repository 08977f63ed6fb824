import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { limitGroupSchema, limitUsesSchema } from "../../schema/contract/limit-group.ts";
import type { LimitGroupView } from "../../schema/contract/limit-group.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { overviewSchema } from "../../schema/contract/overview.ts";
import { auditEntrySchema } from "../../schema/contract/people.ts";
import { success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { call, dataOf, errorPathsOf, pageOf, problemOf } from "../support/management-api.ts";
import { failure } from "../support/working-agent.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";
import { shownTime } from "../../worker/domain/shown-time.ts";

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job));
});

const RULES = { maxRuns: 2, periodSeconds: 3_600, whenReached: "end" };
const send = (method: string, path: string, body?: unknown) => call(bench.bellhop, method, path, body);
async function group(more: JsonObject = {}): Promise<LimitGroupView> {
  const body = { name: crypto.randomUUID(), ...RULES, ...more };
  return dataOf(await send("POST", "/limits", body), 201, limitGroupSchema);
}
const usesOf = async ({ id }: LimitGroupView) => dataOf(await send("GET", `/limits/${id}/uses`), 200, limitUsesSchema);
/** The period passes for the uses of this group. */
const pass = (limit: LimitGroupView) =>
  query(bench.bellhop, "update limit_uses set at = at - ? where group_id = ?", [limit.periodSeconds * 1_000, limit.id]);

const KEY = { key: "{{inputs.service}}" };
const restarts = (limit: LimitGroupView, more: JsonObject = {}) => ({
  nodes: [bench.action("restart", "restart", more)],
  edges: [],
  limits: [{ groupId: limit.id, ...KEY }],
});
async function runOf(workflowId: string, service = "shop") {
  return bench.ended(await bench.execute(workflowId, { service }));
}

describe("a limit that ends runs", () => {
  test("counts over workflows for each key, names the runs, and lets further ones pass after the period", async () => {
    const limit = await group({ name: "Restart a service" });
    const [one, other] = [await bench.publish(restarts(limit)), await bench.publish(restarts(limit))];
    const [first, second] = [await runOf(one), await runOf(other)];
    const third = await runOf(one);
    expect([first.status, second.status, third.status]).toEqual(["succeeded", "succeeded", "failed"]);
    expect(third.error?.code).toBe("limit_reached");
    const { keys } = await usesOf(limit);
    const minuteAfter = Math.ceil(Date.parse(keys[0]?.freeAt ?? "") / 60_000) * 60_000;
    expect(third.error?.message).toBe(
      `restart: The limit "Restart a service" for the key "shop" is reached: at most 2 runs in 1 h. Used by ${second.id}, ${first.id}. The next run is possible at ${shownTime(minuteAfter)}.`,
    );
    expect(keys).toMatchObject([
      {
        key: "shop",
        used: 2,
        runs: [
          { executionId: second.id, workflowId: other, isOverLimit: false },
          { executionId: first.id, workflowId: one, isOverLimit: false },
        ],
      },
    ]);
    expect((await runOf(other, "mail")).status).toBe("succeeded");
    expect((await runOf(other, "")).status).toBe("succeeded");
    expect(bench.agent.jobs).toHaveLength(4);
    await pass(limit);
    expect((await runOf(other)).status).toBe("succeeded");
    expect(await (await bench.bellhop.api("GET", "/metrics")).text()).toContain("bellhop_limit_reached_total 1");
  });

  test("counts a run with retries, several actions and a forEach once, and a retry of the execution again", async () => {
    const limit = await group();
    const items = { id: "each", type: "forEach", items: "[1, 2]", body: { nodes: [bench.action("inner")], edges: [] } };
    const id = await bench.publish({
      nodes: [bench.action("restart", "restart", { retry: { maxAttempts: 2, backoffSeconds: 0.01 } }), items],
      edges: [{ from: "restart", to: "each", on: "success" }],
      limits: [{ groupId: limit.id }],
    });
    let failures = 1;
    bench.agent.does((job) => (failures-- > 0 ? failure(job) : success(job)));
    const done = await runOf(id);
    expect([done.status, bench.agent.jobs.length]).toEqual(["succeeded", 4]);
    expect((await usesOf(limit)).keys).toMatchObject([{ key: "", used: 1 }]);
    bench.agent.does((job) => failure(job));
    const failed = await runOf(id);
    const again = await bench.ended(await bench.retry(failed.id, { from: "failed" }));
    expect(again.error?.code).toBe("limit_reached");
  });

  test("keeps its uses over a restart of the service", async () => {
    const limit = await group({ maxRuns: 1 });
    const id = await bench.publish(restarts(limit));
    bench.agent.does(() => null);
    const first = await bench.execute(id, { service: "shop" });
    await eventually("the job", () => Promise.resolve(bench.agent.jobs[0] ?? null));
    await bench.bellhop.restartWorker();
    expect((await runOf(id)).error?.code).toBe("limit_reached");
    bench.agent.does((job) => success(job));
    bench.agent.finishesHeld();
    expect((await bench.ended(first)).status).toBe("succeeded");
  });

  test("reserves all of several limits or none, and passes on to a failure edge", async () => {
    const [free, full] = [await group(), await group({ maxRuns: 1 })];
    await runOf(await bench.publish(restarts(full)));
    const id = await bench.publish({
      nodes: [bench.action("restart"), { id: "report", type: "delay", seconds: 1 }],
      edges: [{ from: "restart", to: "report", on: "failure" }],
      limits: [
        { groupId: free.id, ...KEY },
        { groupId: full.id, ...KEY },
      ],
    });
    const execution = await runOf(id);
    expect(execution.status).toBe("succeeded");
    expect(nodeRun(execution, "restart").error?.code).toBe("limit_reached");
    expect((await usesOf(free)).keys).toEqual([]);
  });

  test("counts an ancestor and its sub-workflows once where both name it, and those of other parents each", async () => {
    const [limit, inner] = [await group({ maxRuns: 1 }), await group({ maxRuns: 1 })];
    const child = await bench.publish({
      ...restarts(limit),
      limits: [
        { groupId: limit.id, ...KEY },
        { groupId: inner.id, ...KEY },
      ],
    });
    const calls = (id: string) => ({ id, type: "workflow", workflowId: child, variables: { service: "shop" } });
    const parent = { nodes: [calls("a"), calls("b")], edges: [{ from: "a", to: "b", on: "success" }] };
    const limited = await runOf(await bench.publish({ ...parent, limits: [{ groupId: limit.id, key: "shop" }] }));
    expect((await usesOf(limit)).keys).toMatchObject([{ used: 1, runs: [{ executionId: limited.id }] }]);
    // The second child is a second run for the limit that only the children name.
    expect(nodeRun(limited, "a").status).toBe("succeeded");
    expect(nodeRun(limited, "b").error?.message).toContain("is reached: at most 1 run in 1 h");
  });

  test("holds for a sub-workflow that is repeated alone", async () => {
    const limit = await group({ maxRuns: 1 });
    const child = await bench.publish({ nodes: [bench.action("restart")], edges: [] });
    const calls = { id: "a", type: "workflow", workflowId: child, variables: {} };
    const done = await runOf(await bench.publish({ nodes: [calls], edges: [], limits: [{ groupId: limit.id }] }));
    const again = await bench.retry(nodeRun(done, "a").childExecutionId ?? "", { from: "start" });
    expect((await bench.ended(again)).error?.code).toBe("limit_reached");
    const alone = await bench.retry(again, { from: "start" });
    expect((await bench.ended(alone)).error?.code).toBe("limit_reached");
  });

  test("does not hold for a retry with a version that no longer names it", async () => {
    const limit = await group({ maxRuns: 1 });
    const id = await bench.publish({ nodes: [bench.action("restart")], edges: [], limits: [{ groupId: limit.id }] });
    await runOf(id);
    const refused = await runOf(id);
    const definition = { nodes: [bench.action("restart")], edges: [] };
    await send("PUT", `/workflows/${id}`, { name: "Without", trigger: { type: "manual" }, definition });
    await send("POST", `/workflows/${id}/publish`);
    const again = await bench.ended(await bench.retry(refused.id, { from: "start", version: "published" }));
    expect(again.status).toBe("succeeded");
  });

  test("a key that is too long, or a limit that is gone, fails the run", async () => {
    const limit = await group();
    const id = await bench.publish(restarts(limit));
    expect((await runOf(id, "x".repeat(513))).error?.code).toBe("key_too_long");
    await query(bench.bellhop, "delete from limit_groups where id = ?", [limit.id]);
    expect((await runOf(id)).error?.code).toBe("limit_group_not_found");
  });
});

describe("a limit that asks", () => {
  async function asked() {
    const limit = await group({ maxRuns: 1, whenReached: "approve" });
    const id = await bench.publish(restarts(limit));
    await runOf(id);
    const executionId = await bench.execute(id, { service: "shop" });
    const run = await bench.waiting(executionId, "restart");
    return { limit, id, executionId, run };
  }
  const decide = (executionId: string, nodeRunId: string, decision: string) =>
    send("POST", `/executions/${executionId}/approve`, { nodeRunId, decision, comment: "so be it" });

  test("lets the run pass beyond it after an approval, which others count", async () => {
    const { limit, id, executionId, run } = await asked();
    expect(run.waiting).toEqual({ code: "approval", detail: "someone's approval" });
    const { approvals } = await dataOf(await send("GET", "/overview"), 200, overviewSchema);
    const shown = approvals.items.find((one) => one.executionId === executionId);
    expect(shown).toMatchObject({ nodeId: "restart", mayAnswer: true });
    expect(shown?.message).toMatch(
      /^The limit ".*" for the key "shop" is reached: .* Approve to run the action beyond/u,
    );
    expect((await decide(executionId, run.id, "approved")).status).toBe(200);
    expect((await bench.ended(executionId)).status).toBe("succeeded");
    const { keys } = await usesOf(limit);
    expect(keys[0]?.runs.map(({ isOverLimit }) => isOverLimit)).toEqual([true, false]);
    await problemOf(await decide(executionId, run.id, "rejected"), 409, "conflict");
    const audit = await pageOf(await send("GET", `/audit?subjectId=${executionId}&verb=approve`), auditEntrySchema);
    expect(audit.items).toMatchObject([{ detail: { nodeRunId: run.id, comment: "so be it" } }]);
    const next = await bench.execute(id, { service: "shop" });
    await bench.waiting(next, "restart");
    await bench.cancel(next);
  });

  test("ends the run with limit_reached after a rejection", async () => {
    const { executionId, run } = await asked();
    expect((await decide(executionId, run.id, "rejected")).status).toBe(200);
    const execution = await bench.ended(executionId);
    expect(execution.error?.code).toBe("limit_reached");
    expect(execution.error?.message).toContain('Rejected by the bootstrap token. "so be it" The limit');
  });

  test("survives a restart of the service", async () => {
    const { executionId, run } = await asked();
    await bench.bellhop.restartWorker();
    expect((await decide(executionId, run.id, "approved")).status).toBe(200);
    expect((await bench.ended(executionId)).status).toBe("succeeded");
  });
});

describe("the groups", () => {
  test("are listed, read, replaced under their tag and deleted, each with an audit entry", async () => {
    const { warnings: _, ...limit } = await group();
    const path = `/limits/${limit.id}`;
    expect(await dataOf(await send("GET", path), 200, limitGroupSchema)).toEqual(limit);
    const changed = { name: `${limit.name} 2`, maxRuns: 5, periodSeconds: 60, whenReached: "approve" };
    const { warnings: __, ...replaced } = await dataOf(await send("PUT", path, changed), 200, limitGroupSchema);
    expect(replaced).toMatchObject({ ...changed, revision: 2 });
    const { items } = await pageOf(await send("GET", "/limits?limit=200"), limitGroupSchema);
    expect(items).toContainEqual(replaced);
    await dataOf(await send("DELETE", path), 200, limitGroupSchema.pick({ id: true }));
    await problemOf(await send("GET", path), 404, "not_found");
    await problemOf(await send("GET", `${path}/uses`), 404, "not_found");
    const audit = await pageOf(await send("GET", `/audit?subjectId=${limit.id}`), auditEntrySchema);
    expect(audit.items.map(({ verb }) => verb)).toEqual(["delete", "update", "create"]);
  });

  test("have unique names", async () => {
    const [limit, other] = [await group(), await group()];
    await problemOf(await send("POST", "/limits", { ...RULES, name: limit.name }), 409, "conflict");
    await problemOf(await send("PUT", `/limits/${other.id}`, { ...RULES, name: limit.name }), 409, "conflict");
  });

  test("are not deleted while published workflows name them", async () => {
    const limit = await group();
    const id = await bench.publish(restarts(limit));
    const { detail } = await problemOf(await send("DELETE", `/limits/${limit.id}`), 409, "conflict");
    expect(detail).toContain(id);
    await bench.call("POST", `/workflows/${id}/unpublish`);
    expect((await send("DELETE", `/limits/${limit.id}`)).status).toBe(200);
  });

  test("keep their uses for the longest period, and lose older ones with the minute", async () => {
    const limit = await group();
    const insert = "insert into limit_uses (group_id, key, execution_id, at) values (?, '', ?, ?)";
    const day = 86_400_000;
    await query(bench.bellhop, insert, [limit.id, "exe_old", Date.now() - 31 * day]);
    await query(bench.bellhop, insert, [limit.id, "exe_young", Date.now() - 29 * day]);
    await bench.bellhop.worker.tick(new Date());
    const left = await query(bench.bellhop, "select execution_id from limit_uses where group_id = ?", [limit.id]);
    expect(left).toEqual([{ execution_id: "exe_young" }]);
  });

  test.each<[object, string[]]>([
    [{ name: "" }, ["name"]],
    [{ maxRuns: 0 }, ["maxRuns"]],
    [{ maxRuns: 1_001 }, ["maxRuns"]],
    [{ maxRuns: 1.5 }, ["maxRuns"]],
    [{ periodSeconds: 59 }, ["periodSeconds"]],
    [{ periodSeconds: 30 * 86_400 + 1 }, ["periodSeconds"]],
    [{ whenReached: "wait" }, ["whenReached"]],
    [{ key: "a" }, ["key"]],
  ])("with %j are refused", async (wrong, paths) => {
    const body = { name: crypto.randomUUID(), ...RULES, ...wrong };
    expect(await errorPathsOf(await send("POST", "/limits", body))).toEqual(paths);
  });
});
