import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { chat } from "../support/chat-jobs.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { SLACK_TOKEN, SlackApi } from "../support/slack-api.ts";

describe("a message in Slack", () => {
  let slack: SlackApi;
  beforeEach(async () => {
    slack = await SlackApi.start();
  });
  afterEach(async () => {
    expect(slack.problems).toEqual([]);
    await slack.stop();
  });

  test("goes to the connection's channel, and the output has its ts and channel", async () => {
    const output = outputOf(await chat(slack, "sendMessage", { text: "Disk full on db-1 — 98 % 🔥" }));
    const [message] = slack.messages("C0INCIDENTS");
    expect(message?.text).toBe("Disk full on db-1 — 98 % 🔥");
    expect(output).toMatchObject({
      statusCode: 200,
      channel: "C0INCIDENTS",
      ts: message?.ts ?? "",
      body: { ok: true },
    });
    expect(output["headers"]).toBeUndefined();
    expect(slack.requests[0]?.headers["authorization"]).toBe(`Bearer ${SLACK_TOKEN}`);
  });

  test("goes to another channel by id or name, and the output has that channel's id", async () => {
    if (slack.channels["C0ELSEWHERE"] !== undefined) slack.channels["C0ELSEWHERE"].isMember = true;
    const outcomes = [
      await chat(slack, "sendMessage", { channel: "C0ELSEWHERE", text: "by id" }),
      await chat(slack, "sendMessage", { channel: "#elsewhere", text: "by name" }),
    ];
    expect(outcomes.map((outcome) => outputOf(outcome)["channel"])).toEqual(["C0ELSEWHERE", "C0ELSEWHERE"]);
    expect(slack.messages("C0ELSEWHERE").map(({ text }) => text)).toEqual(["by id", "by name"]);
  });

  test("may have blocks, and may answer in a thread", async () => {
    const { ts } = outputOf(await chat(slack, "sendMessage", { text: "first" }));
    const section = { type: "section", text: { type: "mrkdwn", text: "*second*" } };
    const blocks: JsonObject[] = [section, { type: "divider" }];
    outputOf(await chat(slack, "sendMessage", { text: "second", blocks, threadTs: ts ?? "" }));
    expect(slack.messages("C0INCIDENTS")[1]).toMatchObject({ blocks, threadTs: String(ts) });
  });

  test("goes to the channel when threadTs is empty", async () => {
    outputOf(await chat(slack, "sendMessage", { text: "alone", threadTs: "" }));
    expect(slack.messages("C0INCIDENTS")[0]?.threadTs).toBeNull();
  });

  test.each(["", " ", "\n\t"])("goes to the connection's channel when the parameter is blank: %j", async (channel) => {
    const { ts = null } = outputOf(await chat(slack, "sendMessage", { channel, text: "x" }));
    outputOf(await chat(slack, "updateMessage", { channel, ts, text: "y" }));
    outputOf(await chat(slack, "addReaction", { channel, ts, name: "eyes" }));
    expect(slack.messages("C0INCIDENTS")).toMatchObject([{ text: "y", reactions: ["eyes"] }]);
  });

  test("keeps quotes, braces and line breaks of a value as text", async () => {
    const text = '"},"channel":"C0ELSEWHERE","x":{"\n\u2028\\';
    outputOf(await chat(slack, "sendMessage", { text }));
    expect(slack.messages("C0INCIDENTS")[0]?.text).toBe(text);
  });

  test("is updated by its ts, and keeps its blocks unless new ones are given", async () => {
    const blocks = [{ type: "divider" }];
    const { ts } = outputOf(await chat(slack, "sendMessage", { text: "burning", blocks }));
    const output = outputOf(await chat(slack, "updateMessage", { ts: ts ?? "", text: "out" }));
    expect(output).toMatchObject({ ts: ts ?? "", channel: "C0INCIDENTS" });
    expect(slack.messages("C0INCIDENTS")).toMatchObject([{ text: "out", blocks }]);
    outputOf(await chat(slack, "updateMessage", { ts: ts ?? "", text: "out", blocks: [] }));
    expect(slack.messages("C0INCIDENTS")[0]?.blocks).toEqual([]);
  });

  test.each([
    ["thumbsup", "thumbsup"],
    [":eyes:", "eyes"],
    ["+1", "+1"],
    ["wave::skin-tone-2", "wave::skin-tone-2"],
    [":wave::skin-tone-2:", "wave::skin-tone-2"],
  ])("gets the reaction %s", async (name, given) => {
    const ts = slack.post("C0INCIDENTS", "by a person");
    expect(outputOf(await chat(slack, "addReaction", { ts, name }))).toMatchObject({ body: { ok: true } });
    expect(slack.messages("C0INCIDENTS")[0]?.reactions).toEqual([given]);
  });

  test("that has the reaction already counts as a success", async () => {
    const ts = slack.post("C0INCIDENTS", "by a person");
    await chat(slack, "addReaction", { ts, name: "eyes" });
    const again = await chat(slack, "addReaction", { ts, name: "eyes" });
    expect(again).toMatchObject({ status: "succeeded", output: { body: { error: "already_reacted" } } });
    expect(slack.messages("C0INCIDENTS")[0]?.reactions).toEqual(["eyes"]);
  });
});

describe("parameters that Slack cannot accept", () => {
  let slack: SlackApi;
  beforeAll(async () => {
    slack = await SlackApi.start();
  });
  afterAll(() => slack.stop());

  test.each([
    ["sendMessage", { text: "x", threadTs: "yesterday" }, "threadTs"],
    ["sendMessage", { text: "x", threadTs: "1712345678.000001&channel=C0" }, "threadTs"],
    ["sendMessage", { text: "x", blocks: "[]" }, "blocks"],
    ["sendMessage", { text: "x", icon: "y" }, "icon"],
    ["sendMessage", {}, "text"],
    ["updateMessage", { text: "x", ts: "1712345678" }, "ts"],
    ["updateMessage", { text: "x" }, "ts"],
    ["addReaction", { ts: "1712345678.000001", name: "::" }, "name"],
    ["addReaction", { ts: "1712345678.000001" }, "name"],
  ])("of %s are refused before any request: %j", async (action, params, named) => {
    const { code, message } = failureOf(await chat(slack, action, params));
    expect(code).toBe("invalid_params");
    expect(message).toContain(named);
    expect(slack.requests).toEqual([]);
  });
});
