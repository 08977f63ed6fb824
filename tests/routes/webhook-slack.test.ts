import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonValue } from "../../schema/contract/json.ts";
import { webhookDeliverySchema } from "../../schema/contract/webhook-delivery.ts";
import type { HmacVerification } from "../../schema/contract/webhook-verification.ts";
import { webhookKeyAnswerSchema } from "../../schema/contract/webhook-verification.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { executionsOf } from "../support/incidents.ts";
import { call, createWorkflow, dataOf, pageOf, problemOf, verb } from "../support/management-api.ts";
import { NEW_CONNECTION } from "../support/new-connection.ts";
import { signedHeaders } from "../support/webhook-signers.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const SECRET = "a-signing-secret-of-slack";
const SLACK: HmacVerification = { type: "hmac", scheme: "slack" };
const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";
const CHALLENGE = JSON.stringify({ token: "t", challenge: "3eZbrw1aBm2rZgRN", type: "url_verification" });
const SSL_CHECK = "ssl_check=1&token=t";

async function made({ payload = "body", verification = SLACK, active = true } = {}) {
  const { id } = await createWorkflow(bellhop, { trigger: { type: "webhook", payload } });
  const answer = await call(bellhop, "POST", `/workflows/${id}/webhook-key`, { verification, secret: SECRET });
  const { url } = await dataOf(answer, 201, webhookKeyAnswerSchema);
  if (active) {
    await verb(bellhop, id, "publish");
    await verb(bellhop, id, "activate");
  }
  const send = (body: string, type: string, headers = signedHeaders(verification, SECRET, body)) =>
    fetch(url, { ...NEW_CONNECTION, method: "POST", headers: { "Content-Type": type, ...headers }, body });
  return { id, send };
}

const deliveriesOf = async (id: string) => {
  const answer = await call(bellhop, "GET", `/workflows/${id}/webhook/deliveries`);
  const { items } = await pageOf(answer, webhookDeliverySchema);
  return items.map(({ result, reason, executionId }) => [result, reason, executionId]);
};
/** What templates read as `webhook.body`, of each execution. */
const bodiesOf = (id: string, count: number) =>
  eventually("the executions", async () => {
    const executions = await executionsOf(bellhop, id);
    const bodies = executions.map(({ trigger }) => (trigger.type === "webhook" ? trigger.variables["body"] : null));
    return bodies.length === count && bodies;
  });

describe("Slack's check of an address", () => {
  test("is answered with its challenge, starts nothing and is a delivery", async () => {
    const { id, send } = await made();
    const answer = await send(CHALLENGE, JSON_TYPE);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("application/json");
    expect(await answer.json()).toEqual({ challenge: "3eZbrw1aBm2rZgRN" });
    expect(await deliveriesOf(id)).toEqual([["answered", null, null]]);
    expect(await executionsOf(bellhop, id)).toEqual([]);
  });

  test("is answered before the workflow is published, so that the address can be entered first", async () => {
    const { id, send } = await made({ active: false });
    expect(await (await send(CHALLENGE, JSON_TYPE)).json()).toEqual({ challenge: "3eZbrw1aBm2rZgRN" });
    await problemOf(await send(JSON.stringify({ type: "event_callback" }), JSON_TYPE), 404, "webhook_not_found");
    expect(await deliveriesOf(id)).toEqual([
      ["refused", "inactive", null],
      ["answered", null, null],
    ]);
  });

  test.each([true, false])(
    "of a command's certificate is answered without a body and starts nothing, of an active workflow: %p",
    async (active) => {
      const { id, send } = await made({ active });
      const answer = await send(SSL_CHECK, FORM);
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
      expect(await deliveriesOf(id)).toEqual([["answered", null, null]]);
      await problemOf(await send(SSL_CHECK, FORM, {}), 401, "unauthorized");
      expect(await executionsOf(bellhop, id)).toEqual([]);
    },
  );

  test("of a command's certificate needs no workflow whose payload is the body", async () => {
    const { id, send } = await made({ payload: "variables" });
    expect((await send(SSL_CHECK, FORM)).status).toBe(200);
    expect(await deliveriesOf(id)).toEqual([["answered", null, null]]);
  });

  test("of a command's certificate is a form: JSON and the text of a command start a run", async () => {
    const { id, send } = await made();
    const body = { ssl_check: "1" };
    expect((await send(JSON.stringify(body), JSON_TYPE)).status).toBe(200);
    const fields = { command: "/restart", text: "ssl_check=1" };
    expect((await send(new URLSearchParams(fields).toString(), FORM)).status).toBe(200);
    expect(await bodiesOf(id, 2)).toEqual([body, fields]);
  });

  test("without a right signature of now is refused like any request", async () => {
    const { id, send } = await made();
    const old = signedHeaders(SLACK, SECRET, CHALLENGE, { at: Date.now() - 600_000 });
    for (const headers of [{}, signedHeaders(SLACK, "another-signing-secret", CHALLENGE), old]) {
      const answer = await send(CHALLENGE, JSON_TYPE, headers);
      expect(await answer.clone().text()).not.toContain("3eZbrw1aBm2rZgRN");
      await problemOf(answer, 401, "unauthorized");
    }
    expect(await deliveriesOf(id)).toEqual([["refused", "unauthorized", null]]);
  });

  test("counts for the webhook's rate", async () => {
    const { id, send } = await made();
    expect((await call(bellhop, "PUT", `/workflows/${id}/webhook`, { requestsPerMinute: 2 })).status).toBe(200);
    await eventually("the rate to be two", async () => (await send(CHALLENGE, JSON_TYPE)).status === 429);
  });

  test.each<JsonValue>([
    { type: "url_verification" },
    { type: "url_verification", challenge: 5 },
    { type: "url_verification", challenge: "x".repeat(1_001) },
    { type: "event_callback", challenge: "x" },
    { payload: { type: "url_verification", challenge: "x" } },
  ])("is not a body like %j: it starts a run", async (body) => {
    const { id, send } = await made();
    expect(await (await send(JSON.stringify(body), JSON_TYPE)).json()).toMatchObject({ success: true });
    expect(await bodiesOf(id, 1)).toEqual([body]);
  });

  test("is an event like any other for another signature", async () => {
    const verification: HmacVerification = { type: "hmac", scheme: "github" };
    const { id, send } = await made({ verification });
    expect(await (await send(CHALLENGE, JSON_TYPE)).json()).toMatchObject({ success: true });
    expect(await bodiesOf(id, 1)).toEqual([JSON.parse(CHALLENGE)]);
    await problemOf(await send("a=1", FORM), 415, "unsupported_media_type");
  });
});

describe("a form of Slack", () => {
  test("of a command gives its fields to templates, and gets a 200 without a body", async () => {
    const { id, send } = await made();
    const fields = { command: "/restart", text: "web 1 & 2 \u00fc\n\u0001", user_name: "ann", trigger_id: "1.2" };
    const answer = await send(`${new URLSearchParams(fields).toString()}&command=%2Fother`, `${FORM}; charset=utf-8`);
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(await bodiesOf(id, 1)).toEqual([fields]);
    const [delivery] = await deliveriesOf(id);
    expect(delivery?.[0]).toBe("started");
  });

  test("of a button gives its payload to templates", async () => {
    const { id, send } = await made();
    const payload = { type: "block_actions", actions: [{ action_id: "ok", value: "web-1" }], user: { name: "ann" } };
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    expect((await send(body, FORM)).status).toBe(200);
    // The same click starts nothing again.
    expect((await send(body, FORM)).status).toBe(200);
    expect(await bodiesOf(id, 1)).toEqual([payload]);
    expect((await deliveriesOf(id)).map(([result]) => result)).toEqual(["repeated", "started"]);
  });

  test("is not read before its signature is right", async () => {
    const { id, send } = await made();
    await problemOf(await send("text=x", FORM, {}), 401, "unauthorized");
    await problemOf(await send("text=x", FORM, signedHeaders(SLACK, SECRET, "text=y")), 401, "unauthorized");
    expect(await executionsOf(bellhop, id)).toEqual([]);
  });

  test("needs a workflow whose payload is the body", async () => {
    const { id, send } = await made({ payload: "variables" });
    const problem = await problemOf(await send("variables=1&text=x", FORM), 415, "unsupported_media_type");
    expect(problem.detail).toContain("Choose the whole body as the payload");
    expect(await deliveriesOf(id)).toEqual([["refused", "unsupported_media_type", null]]);
  });

  test.each([
    ["payload=%7Bnot", "invalid_request", 400],
    [`payload=${"%5B".repeat(65)}${"%5D".repeat(65)}`, "invalid_request", 400],
    ["payload=%7B%22__proto__%22%3A1%7D", "invalid_request", 400],
    ["__proto__=1", "invalid_request", 400],
    [`text=${"%01".repeat(200_000)}`, "payload_too_large", 413],
  ] as const)("that is wrong is refused: %p", async (body, code, status) => {
    const { id, send } = await made();
    await problemOf(await send(body, FORM), status, code);
    expect(await executionsOf(bellhop, id)).toEqual([]);
  });

  test("that is empty has no body", async () => {
    const { id, send } = await made();
    expect((await send("", FORM)).status).toBe(200);
    expect(await bodiesOf(id, 1)).toEqual([null]);
  });
});
