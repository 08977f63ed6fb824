import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, outputOf, runAction, runTest, type TestJob } from "../support/executor-context.ts";
import { TeamsWebhook, type WebhookKind } from "../support/teams-webhook.ts";

let webhook: TeamsWebhook;
beforeEach(async () => {
  webhook = await TeamsWebhook.start();
});
afterEach(() => webhook.stop());

const send = (params: JsonObject, job: TestJob = {}) =>
  runAction("teamchat", "teamchat.sendMessage", { secrets: { webhookUrl: webhook.url }, params, ...job });
const sendCard = (card: JsonObject) =>
  runAction("teamchat", "teamchat.sendAdaptiveCard", { secrets: { webhookUrl: webhook.url }, params: { card } });
const CARD = { type: "AdaptiveCard", version: "1.4", body: [{ type: "TextBlock", text: "Hello" }] };

describe("a message in Teams", () => {
  test.each(["workflow", "incoming"] satisfies WebhookKind[])("is shown by a webhook of kind %s", async (kind) => {
    const other = await TeamsWebhook.start(kind);
    const job = { secrets: { webhookUrl: `${other.url}\n` } };
    const output = outputOf(await send({ title: "Disk full", text: "98 % on db-1\nsee the runbook" }, job));
    expect(output).toMatchObject({ statusCode: kind === "workflow" ? 202 : 200 });
    expect(other.problems).toEqual([]);
    expect(other.cards).toMatchObject([
      {
        type: "AdaptiveCard",
        body: [
          { type: "TextBlock", text: "Disk full", wrap: true },
          { type: "TextBlock", text: "98 % on db-1\n\nsee the runbook", wrap: true },
        ],
      },
    ]);
    await other.stop();
  });

  test("needs no title, and keeps quotes and braces of a value as text", async () => {
    const text = '"}]}},{"type":"Image","url":"https://evil.example/x"}';
    outputOf(await send({ text }));
    expect(webhook.cards[0]?.["body"]).toEqual([{ type: "TextBlock", text, wrap: true }]);
  });

  test("goes to the vault's address rather than the configuration's", async () => {
    const other = await TeamsWebhook.start();
    outputOf(await send({ text: "x" }, { config: { webhookUrl: other.url } }));
    outputOf(await send({ text: "y" }, { config: { webhookUrl: other.url }, secrets: null }));
    expect([webhook.cards.length, other.cards.length]).toEqual([1, 1]);
    await other.stop();
  });

  test("as an Adaptive Card arrives unchanged", async () => {
    const card = { ...CARD, actions: [{ type: "Action.OpenUrl", title: "Runbook", url: "https://a.example" }] };
    outputOf(await sendCard(card));
    expect(webhook.cards).toEqual([card]);
  });

  test.each([
    [{ ...CARD, type: "MessageCard" }, "AdaptiveCard"],
    [{ type: "message", attachments: [{ content: CARD }] }, "leave out the message"],
    [{ type: "AdaptiveCard", body: [] }, "version"],
    [{ ...CARD, version: 1.4 }, "version"],
    [{ ...CARD, version: "2.0" }, "version"],
    [{ ...CARD, version: "1.6" }, "version"],
    [{ ...CARD, version: "1.9" }, "version"],
    [{ ...CARD, body: "Hello" }, "body"],
    [{ ...CARD, body: [{ type: "TextBlock", text: "ü".repeat(14_400) }] }, "28 KB"],
  ])("%#: as a card that Teams would not show is refused before it is sent", async (card, excerpt) => {
    const { code, message } = failureOf(await sendCard(card));
    expect(code).toBe("invalid_params");
    expect(message).toContain(excerpt);
    expect(webhook.requests).toEqual([]);
  });

  test("that is too long or empty is refused before it is sent", async () => {
    expect(failureOf(await send({ text: "x".repeat(29_000) })).message).toContain("28 KB");
    expect(failureOf(await send({ text: " " })).code).toBe("invalid_params");
    expect(failureOf(await send({ title: "x" })).code).toBe("invalid_params");
    expect(webhook.requests).toEqual([]);
  });
});

describe("a refusal by Teams", () => {
  test.each([
    [
      { status: 401, json: { error: { code: "DirectApiAuthorizationRequired" } } },
      "authentication_failed",
      "DirectApi",
    ],
    [{ status: 404, json: { error: { code: "WorkflowNotFound" } } }, "not_found", "WorkflowNotFound"],
    [{ status: 410, text: "gone" }, "not_found", "turned off"],
    [
      { status: 400, json: { error: { code: "TriggerInputSchemaMismatch" } } },
      "rejected",
      "TriggerInputSchemaMismatch",
    ],
    [{ status: 413, text: "" }, "rejected", "too large"],
    [{ status: 502, text: "" }, "outcome_unknown", "may have been posted"],
    [
      {
        status: 200,
        text: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId tcid=0",
      },
      "rate_limited",
      "too many",
    ],
    [
      {
        status: 200,
        text: "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 400 with ContextId tcid=0",
      },
      "rejected",
      "HTTP error 400",
    ],
    [
      { status: 200, text: "<html>Sign in", headers: { "content-type": "text/html" } },
      "invalid_response",
      "not the address",
    ],
    [{ status: 429, headers: { "retry-after": "600" }, text: "" }, "rate_limited", "600 s"],
    [
      { status: 308, headers: { location: "https://other.example/x" } },
      "redirect_not_followed",
      "https://other.example",
    ],
  ])("%#: is a failure that says what to do, also with status 200", async (answer, expected, excerpt) => {
    webhook.next({ answer });
    const { code, message } = failureOf(await send({ text: "x" }));
    expect(code).toBe(expected);
    expect(message).toContain(excerpt);
    expect(webhook.cards).toEqual([]);
    expect(webhook.requests).toHaveLength(1);
  });

  test("that is temporary is retried", async () => {
    webhook.next({ answer: { status: 429, headers: { "retry-after": "1" }, text: "" } });
    outputOf(await send({ text: "x" }));
    expect(webhook.cards).toHaveLength(1);
  });

  test.each(["drop", "break off"] as const)("with an unknown outcome (%s) is not retried", async (trouble) => {
    // The answer of a workflow is empty, and cannot break off.
    const incoming = await TeamsWebhook.start("incoming");
    incoming.next(trouble);
    const { code, message } = failureOf(await send({ text: "x" }, { secrets: { webhookUrl: incoming.url } }));
    expect(code).toBe("connection_lost");
    expect(message).toContain("may have been posted");
    expect(incoming.requests).toHaveLength(1);
    await incoming.stop();
  });

  test.each([
    [{ secrets: null }, "credential_missing"],
    [{ secrets: { webhookUrl: "teams.example.com/abcdefghijkl" } }, "invalid_credential"],
    [{ secrets: { webhookUrl: "http://teams.example.com/abcdefghijkl" } }, "invalid_credential"],
    [{ secrets: { webhookUrl: "https://me:abcdefghijkl@teams.example.com/" } }, "invalid_credential"],
    [{ secrets: null, config: { webhookUrl: "http://teams.example.com/abcdefghijkl" } }, "invalid_config"],
    [{ secrets: null, config: { webhookUrl: "ftp://teams.example.com/abcdefghijkl" } }, "invalid_config"],
  ])(
    "%#: is anticipated by the agent for an unusable address, which the error does not repeat",
    async (job, expected) => {
      const { code, message } = failureOf(await send({ text: "x" }, job));
      expect(code).toBe(expected);
      expect(message).not.toContain("abcdefghijkl");
    },
  );
});

describe("the address of a webhook", () => {
  const echoes: [string, (url: URL) => string][] = [
    ["whole", (url) => `no such page: ${url.href}`],
    ["its path", (url) => `Cannot POST ${url.pathname}`],
    ["its path and query", (url) => `POST ${url.pathname}${url.search} failed`],
    ["its query, decoded", (url) => decodeURIComponent(url.search)],
    ["its signature", (url) => `bad signature ${url.searchParams.get("sig")}`],
    ["its path as JSON", (url) => JSON.stringify({ path: url.pathname.replaceAll("/", "\\/") })],
    ["more than is kept, cut inside it", (url) => "x".repeat(262_144 - 30) + url.href],
  ];
  const places = ["config", "secrets"] as const;
  const cases = echoes.flatMap(([name, echo]) => places.map((place) => [name, place, echo] as const));

  test.each(cases)("is in no error and no output when the server repeats %s (%s)", async (_name, place, echo) => {
    const url = new URL(webhook.url);
    const { secret } = webhook;
    const job = place === "config" ? { config: { webhookUrl: url.href }, secrets: null } : {};
    for (const status of [200, 400]) {
      webhook.next({ answer: { status, text: echo(url) } });
      const said = JSON.stringify(await send({ text: "x" }, job));
      expect(said).toContain(`"statusCode":${status}`);
      for (const part of [secret, secret.slice(0, 20), url.pathname, "0a1b2c3d4e5f6071"])
        expect(said).not.toContain(part);
    }
  });

  test.each(["drop", "break off", { answer: { status: 302, headers: { location: "" } } }] as const)(
    "is in no error when the connection fails: %j",
    async (trouble) => {
      const incoming = await TeamsWebhook.start("incoming");
      incoming.next(trouble);
      const said = JSON.stringify(await send({ text: "x" }, { config: { webhookUrl: incoming.url }, secrets: null }));
      expect(said).toContain("127.0.0.1");
      for (const part of [incoming.secret, "webhookb2", "IncomingWebhook"]) expect(said).not.toContain(part);
      await incoming.stop();
    },
  );

  test("is in no error when the server redirects to an address that contains it", async () => {
    webhook.next({ answer: { status: 307, headers: { location: `https://${webhook.secret}.example/` } } });
    const said = JSON.stringify(await send({ text: "x" }, { config: { webhookUrl: webhook.url }, secrets: null }));
    expect(said).toContain("redirect_not_followed");
    expect(said).not.toContain(webhook.secret);
  });

  test("is in no error when nothing listens there", async () => {
    const config = { webhookUrl: "http://127.0.0.1:9/webhookb2/aaaabbbbccccdddd" };
    const { code, message } = failureOf(await send({ text: "x" }, { config, secrets: null }));
    expect(code).toBe("unreachable");
    expect(message).toContain("127.0.0.1:9");
    expect(message).not.toContain("webhookb2");
  });
});

describe("the test of a teamchat connection", () => {
  const checks = async (job: TestJob = {}) => {
    const all = await runTest("teamchat", { secrets: { webhookUrl: webhook.url }, ...job });
    return { names: all.map(({ name, ok }) => `${name} ${ok}`), said: JSON.stringify(all) };
  };

  test.each(["workflow", "incoming"] satisfies WebhookKind[])(
    "reaches a webhook of kind %s and posts no message",
    async (kind) => {
      const other = await TeamsWebhook.start(kind);
      const { names, said } = await checks({ secrets: { webhookUrl: other.url } });
      expect(names).toEqual(["Endpoint reachable true"]);
      expect(said).toContain("was not tested");
      expect(other.requests.map(({ method, body }) => ({ method, body }))).toEqual([{ method: "OPTIONS", body: "" }]);
      expect(said).not.toContain(other.secret);
      await other.stop();
    },
  );

  test.each([200, 202, 400, 405])("passes with status %d, which it names", async (status) => {
    webhook.next({ answer: { status, text: "" } });
    const { names, said } = await checks();
    expect(names).toEqual(["Endpoint reachable true"]);
    expect(said).toContain(`status ${status}.`);
    expect(said).not.toContain("may not be right");
  });

  test.each([401, 403])("passes with status %d, and says that the address may be wrong", async (status) => {
    webhook.next({ answer: { status, text: "" } });
    const { names, said } = await checks();
    expect(names).toEqual(["Endpoint reachable true"]);
    for (const part of [`status ${status}`, "may not be right", "was not tested"]) expect(said).toContain(part);
  });

  test.each([404, 410])("fails with status %d", async (status) => {
    webhook.next({ answer: { status, text: "" } });
    const { names, said } = await checks();
    expect(names).toEqual(["Endpoint reachable false"]);
    for (const part of [`status ${status}`, "Copy it again"]) expect(said).toContain(part);
    expect(said).not.toContain(webhook.secret);
  });

  test("fails when nothing listens, and shows the host only", async () => {
    const { names, said } = await checks({ secrets: { webhookUrl: "http://127.0.0.1:9/webhookb2/aaaabbbb" } });
    expect(names).toEqual(["Endpoint reachable false"]);
    expect(said).not.toContain("webhookb2");
  });

  test("fails at a server with an error", async () => {
    webhook.next({ answer: { status: 503, text: "" } });
    expect((await checks()).names).toEqual(["Endpoint reachable false"]);
  });

  test("says what to deliver when there is no address", async () => {
    const { names, said } = await checks({ secrets: null });
    expect(names).toEqual(["Credential false"]);
    expect(said).toContain("webhookUrl");
  });
});
