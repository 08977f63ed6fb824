import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { getJobParameters } from "../../schema/contract/api/jobs.ts";
import type { JobParameters } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { roleSchema } from "../../schema/contract/people.ts";
import { EventReader } from "../support/events.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection } from "../support/management.ts";
import { dataOf, problemOf } from "../support/management-api.ts";
import { createUser, signedIn } from "../support/people.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";
import { success } from "../support/agent-client.ts";

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());

const SECRET = 'hunter2 "quoted" & more';
const PATH = "/api/v1/automation";
const INPUTS = { host: { type: "string" }, token: { type: "string", sensitive: true } };

const script = (id: string, text: string, env: JsonObject = {}) => ({
  ...bench.action(id),
  params: { script: text, env },
});

/** Runs a workflow with these inputs to its end, and returns its execution. */
async function run(nodes: object[], variables: JsonObject, inputs: object = INPUTS, edges: object[] = []) {
  const id = await bench.publish({ nodes, edges }, { type: "manual", inputs });
  return bench.ended(await bench.execute(id, variables));
}

const read = async (jobId: string | null): Promise<JobParameters> =>
  dataOf(await bench.bellhop.api("GET", `${PATH}/jobs/${jobId}/parameters`), 200, getJobParameters.answer.data);

describe("the parameters of a job", () => {
  test("are what the agent got, with templates filled in, and the named values", async () => {
    const execution = await run(
      [script("restart", 'systemctl restart "{{inputs.host}}"', { WHY: "on {{inputs.host}}, at last" })],
      { host: "web-1" },
    );
    const { jobId } = nodeRun(execution, "restart");
    const sent = bench.agent.jobs.find(({ id }) => id === jobId);
    const shown = await read(jobId);
    expect(shown).toEqual({
      id: jobId ?? "",
      action: "script.bash",
      target: null,
      params: sent?.params ?? {},
      values: { WHY: "on web-1, at last" },
      truncated: false,
    });
    expect(shown.params["script"]).toBe('systemctl restart "web-1"');
  });

  test.each(roleSchema.options)("are shown to a %s only with automation:write", async (role) => {
    const execution = await run([script("look", "uptime")], {});
    const person = await signedIn(bench.bellhop, await createUser(bench.bellhop, { role }));
    const answer = await person.call("GET", `${PATH}/jobs/${nodeRun(execution, "look").jobId}/parameters`);
    if (role === "viewer" || role === "operator") await problemOf(answer, 403, "forbidden");
    else expect((await dataOf(answer, 200, getJobParameters.answer.data)).params).toMatchObject({ script: "uptime" });
  });

  test("of an unknown job are 404", async () => {
    await problemOf(await bench.bellhop.api("GET", `${PATH}/jobs/job_none/parameters`), 404, "not_found");
  });

  test("of a test of a connection are empty", async () => {
    const path = `${PATH}/connections/${bench.connectionId}/test?waitSeconds=0`;
    const { data } = (await (await bench.bellhop.api("POST", path)).json()) as { data: { jobId: string } };
    expect(await read(data.jobId)).toMatchObject({ action: null, params: {}, values: {}, truncated: false });
  });

  test("above 64 KiB are cut, and the answer says so", async () => {
    const env = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`V${index}`, "{{inputs.host}}"]));
    const execution = await run([script("large", "true", env)], { host: "ü".repeat(20_000) });
    const shown = await read(nodeRun(execution, "large").jobId);
    expect(shown.truncated).toBe(true);
    expect(new TextEncoder().encode(JSON.stringify(shown)).length).toBeLessThan(65 * 1_024);
    expect(shown.values["V8"]?.replace(/^ü+/u, "")).toBe("… (17952 more characters)");
  });
});

describe("a sensitive input", () => {
  const shownValues = async (env: JsonObject, variables: JsonObject, inputs: object = INPUTS) => {
    const execution = await run([script("use", "true", env)], variables, inputs);
    return (await read(nodeRun(execution, "use").jobId)).values;
  };

  test("is in no answer about the execution, and agents get it", async () => {
    const execution = await run([script("use", "true", { X: "{{inputs.token}}" })], { host: "web-1", token: SECRET });
    const { jobId } = nodeRun(execution, "use");
    expect(bench.agent.jobs.find(({ id }) => id === jobId)?.values).toEqual({ X: SECRET });
    expect(execution.trigger).toMatchObject({ variables: { host: "web-1", token: "***" }, sensitive: ["token"] });
    const events = await EventReader.open(bench.bellhop, `/executions/${execution.id}/events`);
    const answers = [
      JSON.stringify((await events.next())?.data),
      ...(await Promise.all(
        ["/executions", `/executions/${execution.id}`, `/jobs/${jobId}`, `/jobs/${jobId}/parameters`].map(
          async (path) => (await bench.bellhop.api("GET", `${PATH}${path}`)).text(),
        ),
      )),
    ];
    for (const answer of answers) expect(answer).not.toContain("hunter2");
  });

  test("is hidden alone and inside longer texts, and the rest of the text stays", async () => {
    const env = {
      ALONE: "{{inputs.token}}",
      LONGER: "Bearer {{inputs.token}} for {{inputs.host}}",
      TWICE: "{{inputs.token}} and {{webhook.token}}",
      OTHER: "{{inputs.host}}",
      LITERAL: "no template, hunter2",
    };
    expect(await shownValues(env, { host: "web-1", token: SECRET })).toEqual({
      ALONE: "***",
      LONGER: "Bearer *** for web-1",
      TWICE: "*** and ***",
      OTHER: "web-1",
      LITERAL: "no template, hunter2",
    });
  });

  test("is hidden with its whole text when a filter changes it, or when it is too short to be found", async () => {
    const env = {
      UPPER: "Bearer {{inputs.token | upper}}",
      PART: '{{inputs.token | split:" " | first}}',
      JSON: "all: {{inputs}}",
      SHORT: "pin {{inputs.pin}} of {{inputs.host}}",
      NUMBER: "{{inputs.pin}}",
      FLAG: "{{inputs.flag}}",
      DEEP: "{{inputs.login.password}}!",
    };
    const inputs = {
      ...INPUTS,
      pin: { type: "number", sensitive: true },
      flag: { type: "boolean", sensitive: true },
      login: { type: "object", sensitive: true },
    };
    const variables = {
      host: "host-10",
      token: SECRET,
      pin: 10,
      flag: true,
      login: { user: "me", password: "correct horse" },
    };
    expect(await shownValues(env, variables, inputs)).toEqual({
      UPPER: "***",
      PART: "***",
      JSON: "***",
      SHORT: "***",
      NUMBER: "***",
      FLAG: "***",
      DEEP: "***!",
    });
  });

  test("is hidden in the text of a script and in what comes from another node", async () => {
    const token = "s3cret-value";
    bench.agent.does((job) => success(job, { exitCode: 0, stdout: `got ${token}\n` }));
    const execution = await run(
      [
        script("print", "deploy {{inputs.token}} to {{inputs.host}}"),
        script("use", "true", { FROM: "{{nodes.print.output.stdout}}" }),
      ],
      { host: "web-1", token },
      INPUTS,
      [{ from: "print", to: "use", on: "success" }],
    );
    expect((await read(nodeRun(execution, "print").jobId)).params["script"]).toBe("deploy *** to web-1");
    expect((await read(nodeRun(execution, "use").jobId)).values).toEqual({ FROM: "got ***\n" });
  });

  test("is hidden in bound values of a statement and in an address, whose other values stay", async () => {
    // Nothing runs in this pool: what a job runs is known before an agent has it.
    const connection = (type: string, config: object) =>
      createConnection(bench.bellhop, { type, config, poolId: "nowhere" });
    const [database, http] = [
      await connection("database", { driver: "postgres", host: "db-1", database: "shop" }),
      await connection("http", { baseUrl: "https://api.example.com", authType: "none" }),
    ];
    const action = (id: string, action: string, connectionId: string, params: object) => ({
      id,
      type: "action",
      action,
      connectionId,
      params,
    });
    const query = "select 1 where a = {{inputs.host}} and b = {{inputs.token}} and c = :c";
    const path = "/tokens/{{inputs.token}}/{{inputs.host}}";
    const id = await bench.publish(
      {
        nodes: [
          action("ask", "database.executeQuery", database, { query, parameters: { c: "{{inputs.token}}" } }),
          action("get", "http.request", http, {
            path,
            body: { deep: ["{{inputs.token}}", "{{inputs.host}}"] },
            method: "POST",
          }),
        ],
        edges: [],
      },
      { type: "manual", inputs: INPUTS },
    );
    const executionId = await bench.execute(id, { host: "web-1", token: SECRET });
    const [ask, get] = [await bench.waiting(executionId, "ask"), await bench.waiting(executionId, "get")];
    const statement = await read(ask.jobId);
    expect(statement.params["query"]).toContain("where a = :bellhop_value_1 and b = :bellhop_value_2");
    expect(statement.values).toEqual({ bellhop_value_1: '"web-1"', bellhop_value_2: "***", c: "***" });
    const request = await read(get.jobId);
    expect(request.params).toMatchObject({ path: "/tokens/***/web-1", body: { deep: ["***", "web-1"] } });
    await bench.cancel(executionId);
  });

  test("is hidden in a sub-workflow whose trigger marks it", async () => {
    const child = await bench.publish(
      { nodes: [script("use", "true", { X: "{{inputs.token}}" })], edges: [] },
      { type: "manual", inputs: INPUTS },
    );
    const call = { id: "call", type: "workflow", workflowId: child, variables: { token: "{{inputs.key}}" } };
    const caller = await bench.publish({ nodes: [call], edges: [] }, { type: "manual", inputs: { key: INPUTS.token } });
    bench.agent.does(() => null);
    const running = await bench.execute(caller, { key: "s3cret-value" });
    await eventually("the sub-workflow to start", async () =>
      (await bench.get(running)).nodeRuns.some(({ childExecutionId }) => childExecutionId !== null),
    );
    expect(JSON.stringify(await bench.get(running))).not.toContain("s3cret");
    bench.agent.does((job) => success(job));
    bench.agent.finishesHeld();
    const parent = await bench.ended(running);
    const execution = await bench.get(nodeRun(parent, "call").childExecutionId ?? "");
    expect(execution.trigger).toMatchObject({ type: "workflow", variables: { token: "***" } });
    expect((await read(nodeRun(execution, "use").jobId)).values).toEqual({ X: "***" });
  });

  test("is hidden in the call of a sub-workflow that was cancelled", async () => {
    const child = await bench.publish(
      { nodes: [script("use", "true")], edges: [] },
      { type: "manual", inputs: INPUTS },
    );
    const call = { id: "call", type: "workflow", workflowId: child, variables: { token: "{{inputs.token}}" } };
    const caller = await bench.publish({ nodes: [call], edges: [] }, { type: "manual", inputs: INPUTS });
    bench.agent.does(() => null);
    const running = await bench.execute(caller, { token: "s3cret-value" });
    await eventually("the sub-workflow to start", async () =>
      (await bench.get(running)).nodeRuns.some(({ childExecutionId }) => childExecutionId !== null),
    );
    await bench.cancel(running);
    const cancelled = await bench.ended(running);
    expect(nodeRun(cancelled, "call").status).toBe("cancelled");
    expect(JSON.stringify(cancelled)).not.toContain("s3cret");
    bench.agent.does((job) => success(job));
    bench.agent.finishesHeld();
  });

  test("stays hidden in a retry, which has its value", async () => {
    const first = await run([script("use", "true", { X: "{{inputs.token}}" })], { token: "s3cret-value" });
    const again = await bench.ended(await bench.retry(first.id, { from: "start" }));
    expect(again.trigger).toMatchObject({ variables: { token: "***" } });
    const { jobId } = nodeRun(again, "use");
    expect(bench.agent.jobs.find(({ id }) => id === jobId)?.values).toEqual({ X: "s3cret-value" });
    expect((await read(jobId)).values).toEqual({ X: "***" });
  });

  test("stays hidden in a retry with a version that does not mark it", async () => {
    const nodes = [script("use", "true", { X: "{{inputs.token}}" })];
    const first = await run(nodes, { token: "s3cret-value" });
    const workflow = { name: "w", definition: { nodes, edges: [] } };
    const trigger = { type: "manual", inputs: { token: { type: "string" } } };
    await bench.bellhop.api("PUT", `${PATH}/workflows/${first.workflowId}`, { ...workflow, trigger });
    await bench.bellhop.api("POST", `${PATH}/workflows/${first.workflowId}/publish`);
    const again = await bench.ended(await bench.retry(first.id, { from: "start", version: "published" }));
    expect(again.versionId).not.toBe(first.versionId);
    expect(again.trigger).toMatchObject({ variables: { token: "***" } });
    expect((await read(nodeRun(again, "use").jobId)).values).toEqual({ X: "***" });
  });

  test("has no default, which everyone could read", async () => {
    const body = {
      name: "w",
      trigger: { type: "manual", inputs: { token: { type: "string", sensitive: true, default: "x" } } },
      definition: { nodes: [script("use", "true")], edges: [] },
    };
    const { errors } = await problemOf(
      await bench.bellhop.api("POST", `${PATH}/workflows`, body),
      400,
      "invalid_request",
    );
    expect(errors?.map(({ path }) => path)).toEqual(["trigger.inputs.token.default"]);
  });
});
