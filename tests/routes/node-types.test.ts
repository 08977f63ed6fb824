import { z } from "zod";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { success } from "../support/agent-client.ts";
import { objectNamed } from "../support/bellhop-object.ts";
import { eventually } from "../support/eventually.ts";
import { call as request, errorPathsOf, problemOf } from "../support/management-api.ts";
import { failure, x } from "../support/working-agent.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** forEach, approvals and time limits, through real HTTP, workerd and libSQL, with a fake agent. */
let bench: WorkflowBench;

beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job, { exitCode: 0, stdout: `did ${x(job)}` }));
});

describe("forEach", () => {
  const loop = (body: unknown[], more: JsonObject = {}) => ({
    id: "loop",
    type: "forEach",
    items: "{{inputs.hosts}}",
    body: { nodes: body, edges: [] },
    ...more,
  });

  test("runs its body for each item, several in parallel, and gives the results in order", async () => {
    const executionId = await bench.run(
      {
        nodes: [
          loop([bench.action("do", "{{foreach.index}}/{{foreach.total}} {{foreach.item.name}}")], { concurrency: 3 }),
          bench.action("report", "{{nodes.loop.output.results.1.outputs.do.stdout}}"),
        ],
        edges: [{ from: "loop", to: "report", on: "success" }],
      },
      { hosts: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    );
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(nodeRun(execution, "do", 2)).toMatchObject({ index: 2, iteration: [2], output: { stdout: "did 2/3 c" } });
    expect(nodeRun(execution, "loop").output).toMatchObject({ total: 3, succeeded: 3 });
    expect(bench.agent.given().at(-1)).toBe("did 1/3 b");
  });

  test("starts no item after one that failed, and names it", async () => {
    bench.agent.does((job) => (x(job) === "b" ? failure(job, "b did not come back") : success(job)));
    const executionId = await bench.run(
      { nodes: [loop([bench.action("do", "{{foreach.item}}")])], edges: [] },
      { hosts: ["a", "b", "c"] },
    );
    const execution = await bench.ended(executionId);
    expect(execution).toMatchObject({ status: "failed", error: { code: "iteration_failed" } });
    expect(execution.error?.message).toContain("item 2: do: b did not come back");
    expect(bench.agent.given()).toEqual(["a", "b"]);
  });

  test("with more jobs than one batch can hold starts them over several steps, each once", async () => {
    bench.agent.does((job) => success(job));
    const body = bench.action("do", "{{inputs.text}} {{foreach.index}}");
    const executionId = await bench.run(
      { nodes: [loop([body], { concurrency: 100 })], edges: [] },
      { hosts: Array.from({ length: 100 }, (_, index) => index), text: "x".repeat(120_000) },
    );
    const execution = await bench.ended(executionId);
    expect(execution).toMatchObject({ status: "succeeded" });
    expect(nodeRun(execution, "loop").output).toMatchObject({ total: 100, succeeded: 100 });
    expect(new Set(bench.agent.given().map((given) => given.slice(120_001))).size).toBe(100);
    expect(bench.agent.jobs).toHaveLength(100);
  });

  test("continues where it was after the Worker was restarted", async () => {
    bench.agent.does((job) => (x(job) === "a" ? success(job) : null));
    const executionId = await bench.run(
      { nodes: [loop([bench.action("do", "{{foreach.item}}")], { concurrency: 2 })], edges: [] },
      { hosts: ["a", "b", "c", "d"] },
    );
    await eventually("b and c to be with the agent", () =>
      Promise.resolve(bench.agent.jobs.length === 3 ? true : null),
    );
    await bench.bellhop.restartWorker();
    bench.agent.does((job) => success(job));
    bench.agent.finishesHeld();
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(bench.agent.given()).toEqual(["a", "b", "c", "d"]);
  });

  test("goes in batches, whose pause outlives a restart of the Worker, and allows failures", async () => {
    bench.agent.does((job) => (x(job) === "b" ? failure(job, "b did not come back") : success(job)));
    const rules = { batchSize: 2, concurrency: 2, pauseSeconds: 2, maxFailures: "50%", continueOnError: true };
    const executionId = await bench.run(
      { nodes: [loop([bench.action("do", "{{foreach.item}}")], rules)], edges: [] },
      { hosts: ["a", "b", "c"] },
    );
    const { output, waiting } = await bench.waiting(executionId, "loop");
    expect(output).toEqual({ batch: 1, batches: 2 });
    const until = waiting?.until ?? "";
    expect(waiting).toEqual({ code: "next_batch", until, detail: `the next batch, which begins at ${until}` });
    expect(bench.agent.given().toSorted()).toEqual(["a", "b"]);
    await bench.bellhop.restartWorker();
    const execution = await bench.ended(executionId);
    expect(execution.status).toBe("succeeded");
    expect(nodeRun(execution, "loop").output).toMatchObject({ total: 3, succeeded: 2, failed: 1, notStarted: 0 });
    expect(bench.agent.given().at(-1)).toBe("c");
  });
});

describe("approval", () => {
  const definition = (more: JsonObject = {}) => ({
    nodes: [
      { id: "ask", type: "approval", message: "Restart {{inputs.host}}?", ...more },
      bench.action("go"),
      bench.action("no"),
    ],
    edges: [
      { from: "ask", to: "go", on: "approved" },
      { from: "ask", to: "no", on: "rejected" },
    ],
  });
  const approve = (executionId: string, body: unknown) =>
    request(bench.bellhop, "POST", `/executions/${executionId}/approve`, body);

  test("waits, says so, and continues with who said what", async () => {
    const executionId = await bench.run(definition(), { host: "web-1" });
    const ask = await bench.waiting(executionId, "ask");
    expect(ask).toMatchObject({
      output: { message: "Restart web-1?" },
      waitingFor: "someone's approval",
      waiting: { code: "approval", detail: "someone's approval" },
    });
    const answer = await approve(executionId, { nodeRunId: ask.id, decision: "approved", comment: "fine" });
    expect(answer.status).toBe(200);
    const execution = await bench.ended(executionId);
    expect(nodeRun(execution, "ask")).toMatchObject({
      status: "succeeded",
      outcome: "approved",
      output: { decision: "approved", by: "bootstrap", comment: "fine" },
    });
    expect(bench.agent.given()).toEqual(["go"]);
    const again = await approve(executionId, { nodeRunId: ask.id, decision: "rejected" });
    expect((await problemOf(again, 409, "conflict")).detail).toContain("does not wait for approval");
  });

  test("takes the first of two simultaneous answers", async () => {
    const executionId = await bench.run(definition());
    const { id: nodeRunId } = await bench.waiting(executionId, "ask");
    const answers = await Promise.all(
      (["approved", "rejected", "approved", "rejected"] as const).map((decision) =>
        approve(executionId, { nodeRunId, decision }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    await bench.ended(executionId);
    expect(bench.agent.jobs).toHaveLength(1);
  });

  test("refuses an invalid answer, and one for a node that waits for none", async () => {
    const executionId = await bench.run(definition());
    await bench.waiting(executionId, "ask");
    expect(await errorPathsOf(await approve(executionId, { decision: "maybe" }))).toEqual(["decision", "nodeRunId"]);
    await problemOf(await approve(executionId, { nodeRunId: "run_x", decision: "approved" }), 404, "not_found");
    const unknown = `exe_${"0".repeat(8)}-0000-7000-8000-${"0".repeat(12)}`;
    await problemOf(await approve(unknown, { nodeRunId: "run_x", decision: "approved" }), 404, "not_found");
  });

  test("refuses an answer that comes too late, and the audit log does not record it as counted", async () => {
    const executionId = await bench.run(definition());
    const { id: nodeRunId } = await bench.waiting(executionId, "ask");
    await approve(executionId, { nodeRunId, decision: "approved", comment: "agreed" });
    await problemOf(await approve(executionId, { nodeRunId, decision: "rejected" }), 409, "conflict");
    const shape = z.array(z.object({ verb: z.string(), subjectId: z.string(), detail: z.unknown() }));
    const log = await bench.call("GET", `/audit?subjectId=${executionId}`, undefined, shape);
    expect(log).toMatchObject([{ verb: "approve", detail: { nodeRunId, comment: "agreed" } }]);
    await bench.ended(executionId);
  });

  test("expires by the alarm", async () => {
    const executionId = await bench.run(definition({ timeoutSeconds: 1 }));
    const execution = await bench.ended(executionId);
    expect(nodeRun(execution, "ask")).toMatchObject({ status: "timed_out", error: { code: "approval_expired" } });
    expect(bench.agent.given()).toEqual(["no"]);
  });
});

test("an execution that exceeds its time limit ends, and says what to do", async () => {
  bench.agent.does(() => null);
  const executionId = await bench.run({ nodes: [bench.action("a")], edges: [], timeoutSeconds: 1 });
  const execution = await bench.ended(executionId);
  expect(execution).toMatchObject({ status: "failed", error: { code: "execution_timed_out" } });
  expect(nodeRun(execution, "a").status).toBe("cancelled");
});

test("nextRevision() of an execution waits for its next revision, and is null for an unknown execution", async () => {
  const executionId = await bench.run({ nodes: [{ id: "ask", type: "approval", message: "?" }], edges: [] });
  const { revision, workflowId } = await bench.get(executionId);
  const stub = await objectNamed(bench.bellhop, "WORKFLOW_RUNS", workflowId);
  const heard = stub.nextRevision(executionId, revision);
  await bench.cancel(executionId);
  expect(await heard).toBe(revision + 1);
  expect(await stub.nextRevision("exe_none", 0)).toBeNull();
});

test("a job that was cancelled on its agent shows its progress, and its execution stays as it ended", async () => {
  bench.agent.does(() => null);
  const executionId = await bench.run({ nodes: [bench.action("a")], edges: [] });
  await eventually("the job to be with the agent", () => Promise.resolve(bench.agent.jobs[0] ?? null));
  const { jobId } = nodeRun(await bench.get(executionId), "a");
  await bench.cancel(executionId);
  const error = { code: "cancelled", message: "The action was cancelled while it ran. The statement was rolled back." };
  bench.agent.does((job) => ({ ...success(job, { stdout: "half of it" }), status: "cancelled", error }));
  bench.agent.finishesHeld();
  const job = await eventually("the late report", async () => {
    const found = await bench.call("GET", `/jobs/${jobId ?? ""}`, undefined, jobViewSchema);
    return found.timeline.reportedAt === null ? null : found;
  });
  expect(job).toMatchObject({ status: "cancelled", output: { stdout: "half of it" } });
  expect(job.timeline.startedAt).not.toBeNull();
  const execution = await bench.get(executionId);
  expect(execution.status).toBe("cancelled");
  expect(nodeRun(execution, "a")).toMatchObject({ status: "cancelled", output: { stdout: "half of it" } });
  // After a cancel, people need to know whether the work on the target was undone.
  expect(nodeRun(execution, "a").error?.message).toEndWith("The statement was rolled back.");
});
