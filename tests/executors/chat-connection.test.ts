import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chatJob } from "../support/chat-jobs.ts";
import { runTest, type TestJob } from "../support/executor-context.ts";
import { blockProblems } from "../support/slack-blocks.ts";
import { SlackApi } from "../support/slack-api.ts";

describe("the test of a chat connection", () => {
  let slack: SlackApi;
  beforeEach(async () => {
    slack = await SlackApi.start();
  });
  afterEach(async () => {
    expect(slack.problems).toEqual([]);
    expect(Object.values(slack.channels).flatMap(({ messages }) => messages)).toEqual([]);
    await slack.stop();
  });
  const checks = async (job: TestJob = {}) => {
    const all = await runTest("chat", { ...chatJob(slack), ...job });
    return all.map(({ name, ok, detail }) => ({ check: `${name} ${ok}`, detail }));
  };
  const names = (all: { check: string }[]): string[] => all.map(({ check }) => check);

  test("names the bot, its workspace and the channel", async () => {
    const all = await checks();
    expect(names(all)).toEqual(["API reachable true", "Authentication true", "Permissions true", "Channel true"]);
    expect(all[1]?.detail).toContain("bellhop of Acme");
    expect(all[3]?.detail).toContain("incidents");
  });

  test("ends at a refused token", async () => {
    const all = await checks({ secrets: { botToken: "xoxb-wrong-token" } });
    expect(names(all)).toEqual(["API reachable true", "Authentication false"]);
    expect(all[1]?.detail).toContain("invalid_auth");
    expect(all[1]?.detail).not.toContain("xoxb-wrong");
  });

  test("without a token says that Slack is reachable, and what to deliver", async () => {
    const all = await checks({ secrets: null });
    expect(names(all)).toEqual(["API reachable true", "Authentication false"]);
    expect(all[1]?.detail).toContain("botToken");
  });

  test.each([
    ["C0ELSEWHERE", "/invite"],
    ["C0ARCHIVED", "archived"],
    ["C0NOWHERE", "does not know"],
  ])("fails for a channel that the bot cannot send to: %s", async (defaultChannel, part) => {
    const all = await checks({ config: { defaultChannel } });
    expect(names(all)).toEqual(["API reachable true", "Authentication true", "Permissions true", "Channel false"]);
    expect(all[3]?.detail).toContain(part);
  });

  test("accepts a channel without the bot if the bot may write to any public channel", async () => {
    slack.scopes.push("chat:write.public");
    expect(names(await checks({ config: { defaultChannel: "C0ELSEWHERE" } })).at(-1)).toBe("Channel true");
  });

  test("passes with a note when the token may not look at channels", async () => {
    slack.scopes = ["chat:write"];
    const all = await checks();
    expect(names(all).at(-1)).toBe("Channel true");
    expect(all[3]?.detail).toContain("channels:read");
  });

  test("ends at a token that cannot send", async () => {
    slack.scopes = ["reactions:write", "channels:read", "chat:write.public"];
    const all = await checks();
    expect(names(all)).toEqual(["API reachable true", "Authentication true", "Permissions false"]);
    expect(all[2]?.detail).toContain("chat:write:");
  });

  test("passes when neither scopes nor channel can be checked", async () => {
    const elsewhere = { status: 404, text: "nothing here" };
    slack.next({ answer: { status: 200, json: { ok: true, user: "b", team: "t" } } }, { answer: elsewhere });
    const all = await checks();
    expect(names(all)).toEqual(["API reachable true", "Authentication true", "Channel true"]);
    expect(all[2]?.detail).toContain("was not checked");
  });

  test("ends at an address where nothing listens", async () => {
    const all = await checks({ slackApiUrl: "http://127.0.0.1:9/api" });
    expect(names(all)).toEqual(["API reachable false"]);
    expect(all[0]?.detail).toContain("127.0.0.1:9");
  });

  test("ends at a server with an error", async () => {
    slack.next({ answer: { status: 502, text: "bad gateway" } });
    const all = await checks();
    expect(names(all)).toEqual(["API reachable false"]);
    expect(all[0]?.detail).toContain("502");
  });
});

describe("the stand-in for Slack", () => {
  test("accepts the requests of curl, and refuses invalid ones", async () => {
    const slack = await SlackApi.start();
    const curl = async (method: string, ...args: string[]): Promise<string> => {
      const child = Bun.spawn(["curl", "--silent", "--noproxy", "*", `${slack.url}/${method}`, ...args], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      return await new Response(child.stdout).text();
    };
    const { botToken = "" } = chatJob(slack).secrets;
    const login = ["-H", `Authorization: Bearer ${botToken}`];
    const json = ["-H", "Content-Type: application/json; charset=utf-8", "-d"];
    const body = JSON.stringify({ channel: "C0INCIDENTS", text: "by hand" });
    expect(await curl("chat.postMessage", ...login, ...json, body)).toContain('"ok":true');
    expect(await curl("chat.postMessage", ...login, "-d", body)).toContain("invalid_arguments");
    expect(await curl("chat.postMessage", ...json, body)).toContain("not_authed");
    expect(await curl("auth.test", ...login)).toContain("bellhop");
    expect(await curl("chat.postMessage", ...login, ...json, body.replace("text", "txt"))).toContain("txt");
    expect(slack.messages("C0INCIDENTS").map(({ text }) => text)).toEqual(["by hand"]);
    await slack.stop();
  });
});

const text = (content: string, type = "mrkdwn") => ({ type, text: content });
const fields = (count: number) => Array.from({ length: count }, () => text("x"));

describe("the stand-in for Slack refuses what Slack does", () => {
  const section = { type: "section", text: text("x") };
  test.each([
    [Array.from({ length: 51 }, () => section), "no more than 50 items allowed [json-pointer:/blocks]"],
    [
      [{ type: "section", text: text("x".repeat(3_001)) }],
      "less than 3001 characters [json-pointer:/blocks/0/text/text]",
    ],
    [[{ type: "section", text: text("") }], "more than 0 characters [json-pointer:/blocks/0/text/text]"],
    [[{ type: "section" }], "must define either `text` or `fields` [json-pointer:/blocks/0]"],
    [[{ type: "section", fields: fields(11) }], "no more than 10 items allowed [json-pointer:/blocks/0/fields]"],
    [[{ type: "section", fields: [text("x".repeat(2_001))] }], "less than 2001 characters"],
    [[{ type: "header", text: text("x".repeat(151), "plain_text") }], "less than 151 characters"],
    [[{ type: "header", text: text("x") }], "unsupported type: mrkdwn [json-pointer:/blocks/0/text/type]"],
    [[{ type: "context", elements: fields(11) }], "no more than 10 items allowed [json-pointer:/blocks/0/elements]"],
    [[section, { ...section, colour: "red" }], "invalid additional property: colour [json-pointer:/blocks/1]"],
    [[{ type: "section", text: { ...text("x"), bold: true } }], "invalid additional property: bold"],
    [
      [
        { ...section, block_id: "a" },
        { type: "divider", block_id: "a" },
      ],
      "already exists: a [json-pointer:/blocks/1/block_id]",
    ],
    [[{ ...section, block_id: "a".repeat(256) }], "less than 256 characters [json-pointer:/blocks/0/block_id]"],
    [[{ type: "sektion" }], "unsupported type: sektion [json-pointer:/blocks/0/type]"],
    [[null], "unsupported type: undefined"],
  ])("%#: in blocks", (blocks, part) => {
    expect(blockProblems(blocks)).toHaveLength(1);
    expect(blockProblems(blocks)[0]).toContain(part);
  });
});

test("the stand-in for Slack accepts blocks of the largest sizes", () => {
  const blocks = [
    { type: "header", text: text("x".repeat(150), "plain_text"), block_id: "a".repeat(255) },
    {
      type: "section",
      text: text("x".repeat(3_000)),
      fields: Array.from({ length: 10 }, () => text("x".repeat(2_000))),
    },
    { type: "context", elements: fields(10) },
    ...Array.from({ length: 47 }, () => ({ type: "divider" })),
  ];
  expect(blockProblems(blocks)).toEqual([]);
});
