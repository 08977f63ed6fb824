import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { executionEventSchemas } from "../../schema/contract/execution-event.ts";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import { failure, x } from "../support/working-agent.ts";
import { success } from "../support/agent-client.ts";
import { query } from "../support/database.ts";
import { EventReader } from "../support/events.ts";
import { eventually } from "../support/eventually.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** The json and the warnings of node runs, through real HTTP, workerd and libSQL, with a fake agent. */
let bench: WorkflowBench;
const STDOUT = JSON.stringify({ items: [{ name: "a" }, { name: "b" }] });
const WARNING = "{{inputs.host.name}}: inputs.host is text and has nothing called name, so the value is empty.";

beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job, { exitCode: 0, stdout: x(job) === "list" ? `${STDOUT}\n` : "done" }));
});

const definition = () => ({
  nodes: [
    bench.action("list"),
    {
      id: "loop",
      type: "forEach",
      items: "{{nodes.list.output.json.items}}",
      body: { nodes: [bench.action("do", "{{foreach.item.name}}")], edges: [] },
    },
  ],
  edges: [{ from: "list", to: "loop", on: "success" }],
});

test("a script that prints a list of objects as JSON feeds a forEach, and the API shows its output's json", async () => {
  const executionId = await bench.run(definition());
  const execution = await bench.ended(executionId);
  expect(execution.status).toBe("succeeded");
  expect(bench.agent.given()).toEqual(["list", "a", "b"]);
  expect(nodeRun(execution, "list").output).toEqual({ exitCode: 0, stdout: `${STDOUT}\n`, json: JSON.parse(STDOUT) });
  expect(nodeRun(execution, "do", 0).output).toEqual({ exitCode: 0, stdout: "done" });
  expect(execution.nodeRuns.filter((run) => "warnings" in run)).toEqual([]);
  const events = await EventReader.open(bench.bellhop, `/executions/${executionId}/events`);
  const whole = executionEventSchemas.execution.parse((await events.next())?.data);
  expect(whole.nodeRuns).toEqual(execution.nodeRuns);
});

test("libSQL stores a script's output once, and no json", async () => {
  const execution = await bench.ended(await bench.run(definition()));
  const sql = "SELECT output FROM node_run_outputs WHERE node_run_id = ?";
  expect(await query(bench.bellhop, sql, [nodeRun(execution, "list").id])).toEqual([
    { output: JSON.stringify({ exitCode: 0, stdout: `${STDOUT}\n` }) },
  ]);
  const tables = ["node_runs", "node_run_outputs", "jobs", "executions", "execution_events"];
  const rows = await Promise.all(tables.map((table) => query(bench.bellhop, `SELECT * FROM ${table}`)));
  const everywhere = rows.flat().flatMap((row) => Object.values(row).map(String));
  expect(everywhere.filter((text) => text.includes('"json":'))).toEqual([]);
});

test("a path below a text is a warning on its node run: in the execution, in its events and in a dry run", async () => {
  const nodes = [{ id: "ask", type: "approval", message: "Restart {{inputs.host.name}}?" }];
  const executionId = await bench.run({ nodes, edges: [] }, { host: "web-1" });
  const { id, ...ask } = await bench.waiting(executionId, "ask");
  expect(ask).toMatchObject({ output: { message: "Restart ?" }, warnings: [WARNING] });
  const events = await EventReader.open(bench.bellhop, `/executions/${executionId}/events`, "0");
  const changed = executionEventSchemas.nodeRun.parse((await events.next())?.data);
  expect(changed).toMatchObject({ id, warnings: [WARNING] });
  await bench.cancel(executionId);
  const dry = await bench.call(
    "POST",
    "/workflows/validate",
    {
      name: "a workflow",
      trigger: { type: "manual" },
      definition: { nodes, edges: [] },
      sample: { variables: { host: "web-1" } },
    },
    validateAnswerSchema,
  );
  expect(dry.preview?.[0]?.unresolved).toEqual([
    { template: "{{inputs.host.name}}", known: true, reason: WARNING.replace(/^\{\{.*\}\}: /u, "").slice(0, -1) },
  ]);
});

test("a warning survives a retry of its node and a restart of the Worker, without duplicates", async () => {
  bench.agent.does((job) => (bench.agent.jobs.length === 1 ? failure(job) : null));
  const node = bench.action("do", "{{inputs.host.name}}", { retry: { maxAttempts: 2, backoffSeconds: 0.1 } });
  const executionId = await bench.run({ nodes: [node], edges: [] }, { host: "web-1" });
  await eventually("the agent to have the second attempt", () =>
    Promise.resolve(bench.agent.jobs.length === 2 ? true : null),
  );
  await bench.bellhop.restartWorker();
  bench.agent.does((job) => success(job));
  bench.agent.finishesHeld();
  const execution = await bench.ended(executionId);
  expect(nodeRun(execution, "do")).toMatchObject({ attempt: 2, status: "succeeded", warnings: [WARNING] });
});
