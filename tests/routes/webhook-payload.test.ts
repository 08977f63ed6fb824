import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { ExecutionView } from "../../schema/contract/execution.ts";
import { call, errorPathsOf, makeWebhookKey, verb } from "../support/management-api.ts";
import { callWebhook, triggered, webhookPath } from "../support/webhooks.ts";
import type { Webhook, WebhookCall } from "../support/webhooks.ts";
import { NEW_CONNECTION } from "../support/new-connection.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

let bench: WorkflowBench;
beforeAll(async () => {
  bench = await WorkflowBench.start();
});
afterAll(() => bench.stop());

type Key = Pick<Webhook, "webhookKey" | "webhookSecret">;

async function live(trigger: JsonObject, value: string): Promise<{ id: string; key: Key }> {
  const definition = { nodes: [bench.action("show", value)], edges: [] };
  const id = await bench.publish(definition, { type: "webhook", ...trigger });
  await verb(bench.bellhop, id, "activate");
  return { id, key: await makeWebhookKey(bench.bellhop, id) };
}

/** What the step's script got, after the run's end. */
async function shownBy(executionId: string): Promise<{ execution: ExecutionView; value: unknown }> {
  const execution = await bench.ended(executionId);
  const { jobId } = nodeRun(execution, "show");
  return { execution, value: bench.agent.jobs.find(({ id }) => id === jobId)?.values?.["X"] };
}

const WHOLE = { payload: "body", headers: ["x-event"], query: ["env"] };

describe("a webhook whose payload is the body", () => {
  test("gives templates the body, and the named headers and parameters", async () => {
    const { key } = await live(
      WHOLE,
      "{{webhook.body.alerts.0.host}} {{webhook.headers.x-event}} {{webhook.query.env}}",
    );
    const response = await fetch(`${bench.bellhop.url}${webhookPath(key.webhookKey)}?env=prod&debug=1&secret=x`, {
      ...NEW_CONNECTION,
      method: "POST",
      headers: {
        Authorization: `Bearer ${key.webhookSecret}`,
        "Content-Type": "application/json",
        "X-Event": "firing",
        Cookie: "session=1",
      },
      body: '{"alerts":[{"host":"web-1"}],"status":"firing"}',
    });
    const answer = await triggered(Promise.resolve(response));
    expect(answer).not.toHaveProperty("ignoredFields");
    const { execution, value } = await shownBy(answer.executionId);
    expect(value).toBe("web-1 firing prod");
    expect(execution.trigger).toEqual({
      type: "webhook",
      variables: {
        body: { alerts: [{ host: "web-1" }], status: "firing" },
        headers: { "x-event": "firing" },
        query: { env: "prod" },
      },
    });
  });

  test("hides what its trigger marks, also in a run by hand", async () => {
    const { id, key } = await live({ ...WHOLE, sensitive: ["body.token"] }, "token {{webhook.body.token}}");
    const body = { token: "a-secret-token", host: "web-1" };
    const started = await triggered(callWebhook(bench.bellhop, key, { body: JSON.stringify(body) }));
    for (const executionId of [started.executionId, await bench.execute(id, { body, headers: {}, query: {} })]) {
      const { execution, value } = await shownBy(executionId);
      expect(value).toBe("token a-secret-token");
      expect(execution.trigger).toMatchObject({ variables: { body: { token: "***", host: "web-1" } } });
      const { jobId } = nodeRun(execution, "show");
      const parameters = await (await call(bench.bellhop, "GET", `/jobs/${jobId}/parameters`)).text();
      expect(parameters).not.toContain("a-secret-token");
    }
  });

  test.each<[what: string, call: WebhookCall, status: number]>([
    ["a list", { body: "[1]" }, 200],
    ["no body", {}, 200],
    ["variables that are no object", { body: '{"variables":1}' }, 200],
    ["text", { body: "plain", headers: { "Content-Type": "text/plain" } }, 415],
    ["no JSON", { body: "{" }, 400],
    ["more than 64 levels", { body: `${"[".repeat(65)}${"]".repeat(65)}` }, 400],
    ["more than 1 MiB", { body: `"${"x".repeat(1_024 * 1_024)}"` }, 413],
  ])("answers a body of %s", async (_what, sent, status) => {
    const { key } = await live(WHOLE, "{{webhook.body}}");
    expect((await callWebhook(bench.bellhop, key, sent)).status).toBe(status);
  });

  test("is recognized by its idempotency key and its body, as every other", async () => {
    const { key } = await live(WHOLE, "{{webhook.body.a}}");
    const send = (body: string, headers: Record<string, string> = {}) =>
      triggered(callWebhook(bench.bellhop, key, { body, headers }));
    const first = await send('{"a":1,"b":2}');
    expect(await send('{"b":2,"a":1}', { "X-Event": "other" })).toMatchObject({ deduplicated: true });
    expect((await send('{"a":2}')).executionId).not.toBe(first.executionId);
    const byKey = await send('{"a":3}', { "X-Idempotency-Key": "k" });
    expect((await send('{"a":4}', { "X-Idempotency-Key": "k" })).executionId).toBe(byKey.executionId);
  });

  test("changes with the next published version, and with an earlier one made live again", async () => {
    const { id, key } = await live({}, "{{webhook.a}}");
    const sent = () => callWebhook(bench.bellhop, key, { body: `{"variables":{"a":"${crypto.randomUUID()}"},"b":1}` });
    expect((await triggered(sent())).ignoredFields).toEqual(["b"]);
    const definition = { nodes: [bench.action("show", "{{webhook.body.b}}")], edges: [] };
    const workflow = { name: "a workflow", trigger: { type: "webhook", ...WHOLE }, definition };
    await bench.call("PUT", `/workflows/${id}`, workflow);
    expect((await triggered(sent())).ignoredFields).toEqual(["b"]);
    await verb(bench.bellhop, id, "publish");
    const answer = await triggered(sent());
    expect(answer.ignoredFields).toBeUndefined();
    expect((await shownBy(answer.executionId)).value).toBe("1");
    const versions = await bench.call<{ id: string; number: number }[]>("GET", `/workflows/${id}/versions`);
    const versionId = versions.find(({ number }) => number === 1)?.id;
    await bench.call("POST", `/workflows/${id}/publish`, { versionId });
    expect((await triggered(sent())).ignoredFields).toEqual(["b"]);
  });
});

describe("a save of a webhook trigger", () => {
  const save = (trigger: JsonObject, value = "x", more: JsonObject = {}) =>
    call(bench.bellhop, "POST", "/workflows", {
      name: "a workflow",
      trigger: { type: "webhook", ...trigger },
      definition: { nodes: [bench.action("show", value)], edges: [] },
      ...more,
    });

  test.each<[trigger: JsonObject, path: string]>([
    [{ payload: "json" }, "trigger.payload"],
    [{ payload: "body", headers: ["X-Event"] }, "trigger.headers.0"],
    [{ payload: "body", headers: ["authorization"] }, "trigger.headers.0"],
    [{ payload: "body", query: ["secret"] }, "trigger.query.0"],
    [{ payload: "body", sensitive: ["token"] }, "trigger.sensitive.0"],
    [{ headers: ["x-event"] }, "trigger.headers"],
    [{ payload: "body", headers: Array.from({ length: 21 }, (_, index) => `x-${index}`) }, "trigger.headers"],
  ])("with %j is refused at %s", async (trigger, path) => {
    expect(await errorPathsOf(await save(trigger))).toEqual([path]);
  });

  test("refuses names that the payload does not have", async () => {
    expect(await errorPathsOf(await save(WHOLE, "{{webhook.host}}"))).toEqual(["definition.nodes.0.params.env.X"]);
  });

  test("as a draft keeps its problems, and publishing refuses them", async () => {
    const response = await save({ payload: "body", headers: ["Cookie"] }, "x", { draft: true });
    expect(response.status).toBe(201);
    const { data } = (await response.json()) as { data: { id: string } };
    const published = await call(bench.bellhop, "POST", `/workflows/${data.id}/publish`);
    expect(await errorPathsOf(published)).toEqual(["trigger.headers.0"]);
  });
});
