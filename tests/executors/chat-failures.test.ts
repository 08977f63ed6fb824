import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chat } from "../support/chat-jobs.ts";
import { failureOf, outputOf } from "../support/executor-context.ts";
import { SLACK_TOKEN, SlackApi } from "../support/slack-api.ts";

describe("a refusal by Slack", () => {
  let slack: SlackApi;
  beforeEach(async () => {
    slack = await SlackApi.start();
  });
  afterEach(() => slack.stop());

  test.each([
    [{ channel: "C0ELSEWHERE", text: "x" }, "not_in_channel", ["not_in_channel", "/invite", "C0ELSEWHERE"]],
    [{ channel: "C0NOWHERE", text: "x" }, "not_found", ["channel_not_found", "private"]],
    [{ channel: "incidents", text: "x" }, "not_found", ["channel_not_found", "incidents", "starts with C"]],
    [{ channel: "C0ARCHIVED", text: "x" }, "not_found", ["is_archived", "archived"]],
    [{ text: "" }, "rejected", ["no_text"]],
    [{ text: "", blocks: [] }, "rejected", ["no_text"]],
    [{ text: "x", blocks: Array.from({ length: 51 }, () => ({ type: "divider" })) }, "rejected", ["no more than 50"]],
    [{ text: "x".repeat(40_001) }, "rejected", ["msg_too_long", "40,000"]],
    [{ text: "x", threadTs: "1.1" }, "not_found", ["thread_not_found", "threadTs"]],
    [{ text: "x", blocks: [{ type: "divider" }, { type: "sektion" }] }, "rejected", ["invalid_blocks", "/blocks/1"]],
  ])("%#: of a message is a failure that says what to do", async (params, expected, parts) => {
    const outcome = await chat(slack, "sendMessage", params);
    const { code, message } = failureOf(outcome);
    expect(code).toBe(expected);
    for (const part of parts) expect(message).toContain(part);
    expect(outputOf(outcome)).toMatchObject({ statusCode: 200, body: { ok: false } });
    expect(slack.messages("C0INCIDENTS")).toEqual([]);
  });

  test("of an update or a reaction is a failure that says what to do", async () => {
    const ts = slack.post("C0INCIDENTS", "by a person");
    const failures = [
      failureOf(await chat(slack, "updateMessage", { ts, text: "x" })),
      failureOf(await chat(slack, "updateMessage", { ts: "1.1", text: "x" })),
      failureOf(await chat(slack, "addReaction", { ts: "1.1", name: "eyes" })),
      failureOf(await chat(slack, "addReaction", { ts, name: "👍" })),
      failureOf(await chat(slack, "addReaction", { channel: "#incidents", ts, name: "eyes" })),
    ];
    const codes = [
      "cant_update_message",
      "message_not_found",
      "message_not_found",
      "invalid_name",
      "looks like a name",
    ];
    for (const [index, part] of codes.entries()) expect(failures[index]?.message).toContain(part);
    expect(slack.messages("C0INCIDENTS")[0]).toMatchObject({ text: "by a person", reactions: [] });
  });

  test("for a missing scope names the scope", async () => {
    slack.scopes = ["reactions:write"];
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
    expect(code).toBe("permission_denied");
    expect(message).toContain("chat:write");
  });

  test.each(["invalid_auth", "token_revoked", "account_inactive", "token_expired", "not_allowed_token_type"])(
    "by %s is an authentication failure",
    async (error) => {
      slack.next({ answer: { status: 200, json: { ok: false, error } } });
      const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
      expect(code).toBe("authentication_failed");
      expect(message).toContain(error);
    },
  );

  test("for a token of another workspace says so, without the token", async () => {
    const botToken = "xoxb-a-wrong-token-entirely";
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }, { secrets: { botToken } }));
    expect(code).toBe("authentication_failed");
    expect(message).not.toContain(botToken);
  });

  test("with an unknown error is quoted with its warnings, shortened", async () => {
    const response_metadata = { messages: [`[ERROR] ${"long ".repeat(500)}`] };
    slack.next({
      answer: { status: 200, json: { ok: false, error: "moon_phase_wrong", warning: "odd", response_metadata } },
    });
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
    expect(code).toBe("rejected");
    expect(message).toContain("moon_phase_wrong");
    expect(message).toContain("[ERROR] long long");
    expect(message.length).toBeLessThan(800);
  });

  test.each([
    [{ secrets: null }, "credential_missing"],
    [{ secrets: { botToken: " " } }, "credential_missing"],
    [{ secrets: { botToken: "xoxb-1\r\nX-Evil: 1" } }, "invalid_credential"],
    [{ config: { defaultChannel: "#general" } }, "invalid_config"],
  ])("is anticipated by the agent, without a request: %j", async (job, expected) => {
    expect(failureOf(await chat(slack, "sendMessage", { text: "x" }, job)).code).toBe(expected);
    expect(slack.requests).toEqual([]);
  });

  test("is not caused by a token with its file's line break, which is removed", async () => {
    const job = { secrets: { botToken: `${SLACK_TOKEN}\n` } };
    outputOf(await chat(slack, "sendMessage", { text: "x" }, job));
    expect(slack.messages("C0INCIDENTS")).toHaveLength(1);
  });
});

describe("trouble at Slack", () => {
  let slack: SlackApi;
  beforeEach(async () => {
    slack = await SlackApi.start();
  });
  afterEach(() => slack.stop());
  const limited = (seconds: string) => ({
    answer: { status: 429, headers: { "retry-after": seconds }, json: { ok: false, error: "ratelimited" } },
  });

  test("a rate limit is waited for, and the message is posted once", async () => {
    slack.next(limited("1"), limited("0"));
    outputOf(await chat(slack, "sendMessage", { text: "at last" }));
    expect(slack.requests).toHaveLength(3);
    expect(slack.messages("C0INCIDENTS")).toHaveLength(1);
  });

  test("a rate limit beyond the job's time fails immediately, with the wait", async () => {
    slack.next(limited("30"));
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }, { timeoutMs: 20_000 }));
    expect(code).toBe("rate_limited");
    expect(message).toContain("30 s");
    expect(slack.requests).toHaveLength(1);
  });

  test("a rate limit in an answer with status 200 is recognized", async () => {
    slack.next({ answer: { status: 200, json: { ok: false, error: "rate_limited" } } });
    expect(failureOf(await chat(slack, "sendMessage", { text: "x" })).code).toBe("rate_limited");
  });

  test.each([
    ["drop", "connection_lost"],
    ["break off", "connection_lost"],
    [{ answer: { status: 503, text: "upstream" } }, "outcome_unknown"],
    [{ answer: { status: 500, json: { ok: false, error: "fatal_error" } } }, "outcome_unknown"],
  ] as const)("%j: the message may have been posted, and is not sent again", async (trouble, expected) => {
    slack.next(trouble);
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
    expect(code).toBe(expected);
    expect(message).toContain("may have been posted");
    expect(slack.requests).toHaveLength(1);
  });

  test("an endless answer is cut, and the output still has the message's ts", async () => {
    slack.next("oversize");
    const outcome = await chat(slack, "sendMessage", { text: "x" });
    expect(outcome.status).toBe("succeeded");
    expect(outputOf(outcome)).toMatchObject({
      truncated: true,
      channel: "C0INCIDENTS",
      ts: slack.messages("C0INCIDENTS")[0]?.ts ?? "",
    });
  });

  test.each([
    { status: 200, text: "<html>Sign in to the network</html>", headers: { "content-type": "text/html" } },
    { status: 404, text: "no such page" },
    { status: 200, json: ["ok"] },
  ])("an answer that is not Slack's is an invalid_response: %j", async (answer) => {
    slack.next({ answer });
    const { code, message } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
    expect(code).toBe("invalid_response");
    expect(message).toContain("SLACK_API_URL");
  });

  test("a redirect is not followed, because the token would go with it", async () => {
    const elsewhere = await SlackApi.start();
    slack.next({ answer: { status: 307, headers: { location: `${elsewhere.url}/chat.postMessage` } } });
    const { code } = failureOf(await chat(slack, "sendMessage", { text: "x" }));
    await elsewhere.stop();
    expect(code).toBe("redirect_not_followed");
    expect(elsewhere.requests).toEqual([]);
  });
});
