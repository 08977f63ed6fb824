import { describe, expect, test } from "bun:test";
import { slackBody, teamsBody } from "../../worker/domain/notification/chat-message.ts";

const MANY_LINKS = '" https://b.example/x\n'.repeat(400);
const message = (more: object = {}) => ({ subject: "Run failed", text: "It failed.", url: null, ...more });

describe("a message for Slack", () => {
  const elementsOf = (more: object) => slackBody(message(more)).blocks.flatMap(({ elements }) => elements);

  test("has the subject in bold, the text, and a link", () => {
    const url = "https://bellhop.example.com/executions/exe_1?a=1&b=2";
    expect(slackBody(message({ url })).blocks.map(({ type }) => type)).toEqual(["rich_text"]);
    expect(elementsOf({ url }).flatMap(({ elements }) => elements)).toEqual([
      { type: "text", text: "Run failed", style: { bold: true } },
      { type: "text", text: "It failed." },
      { type: "link", url, text: "Open in Bellhop" },
    ]);
  });

  test("cannot format, link, mention anyone or make another line of the subject", () => {
    const text = "*a* `b` ```c :fire: <!here> <https://evil.example|ok> https://evil.example & so";
    const body = slackBody({ subject: "a*\n<!channel>", text, url: null });
    expect(body.blocks[0]?.elements.flatMap(({ elements }) => elements)).toEqual([
      { type: "text", text: "a* <!channel>", style: { bold: true } },
      { type: "text", text },
    ]);
    expect(body.text).not.toMatch(/[<>]/u);
    expect(body).toMatchObject({ unfurl_links: false, unfurl_media: false });
  });

  test("has a link for each line that ends with a page of this deployment, and for no other address", () => {
    const page = "https://bellhop.example.com/executions/exe_1";
    const text = `2 notices\none ${page}\ntwo https://evil.example/x\nthree https://bellhop.example.com.evil/x\nfour ${page}?a=b\nfive ${page}`;
    const [, section] = elementsOf({ text, url: "https://bellhop.example.com" });
    expect(section?.elements).toEqual([
      { type: "text", text: "2 notices\none " },
      { type: "link", url: page, text: "Open" },
      {
        type: "text",
        text: `\ntwo https://evil.example/x\nthree https://bellhop.example.com.evil/x\nfour ${page}?a=b\nfive `,
      },
      { type: "link", url: page, text: "Open" },
    ]);
  });

  test("stays below the 13,000 characters of blocks that Slack accepts", () => {
    for (const text of ['"\n'.repeat(5_000), MANY_LINKS]) {
      const { blocks } = slackBody(message({ text, url: "https://b.example" }));
      expect(JSON.stringify(blocks).length).toBeLessThan(13_000);
    }
  });
});

/** The texts of a card, and its links. */
function cardOf(body: ReturnType<typeof teamsBody>) {
  const [attachment] = body.attachments;
  if (attachment === undefined) throw new Error("no card");
  return JSON.parse(JSON.stringify(attachment.content)) as {
    body: { type: string; inlines: { type: string; text: string; selectAction?: object }[] }[];
    actions?: unknown[];
  };
}

describe("a message for Teams", () => {
  test("is one Adaptive Card with a line for each line of the text, and a link", () => {
    const body = teamsBody(message({ text: "one\n\ntwo", url: "https://bellhop.example.com/" }));
    expect(body).toMatchObject({
      type: "message",
      attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", content: { type: "AdaptiveCard" } }],
    });
    const card = cardOf(body);
    expect(card.body.map(({ inlines }) => inlines[0]?.text)).toEqual(["Run failed", "one", " ", "two"]);
    expect(card.actions).toEqual([
      { type: "Action.OpenUrl", title: "Open in Bellhop", url: "https://bellhop.example.com/" },
    ]);
  });

  test("has a link for each line that ends with a page of this deployment", () => {
    const page = "https://bellhop.example.com/executions/exe_1";
    const text = `one ${page}\ntwo https://evil.example/x`;
    const card = cardOf(teamsBody(message({ text, url: "https://bellhop.example.com" })));
    expect(card.body.slice(1).map(({ inlines }) => inlines)).toEqual([
      [
        { type: "TextRun", text: "one " },
        { type: "TextRun", text: "Open", selectAction: { type: "Action.OpenUrl", url: page } },
      ],
      [{ type: "TextRun", text: "two https://evil.example/x" }],
    ]);
  });

  test("has no element that reads Markdown, so that a value cannot link", () => {
    const card = cardOf(teamsBody(message({ text: "[ok](https://evil.example) <at>everyone</at>" })));
    expect(card.body.map(({ type }) => type)).toEqual(["RichTextBlock", "RichTextBlock"]);
    expect(card.body[1]?.inlines).toEqual([{ type: "TextRun", text: "[ok](https://evil.example) <at>everyone</at>" }]);
    expect(card.actions).toBeUndefined();
  });

  test("stays below the 28 KB that Teams accepts", () => {
    const text = Array.from({ length: 4_999 }, () => '"').join("\n");
    const long = '"'.repeat(9_999);
    const links = `${'"'.repeat(140)} https://b.example/x\n`.repeat(60);
    for (const one of [text, long, links, MANY_LINKS]) {
      const body = teamsBody(message({ text: one, url: "https://b.example" }));
      expect(JSON.stringify(body).length).toBeLessThan(28_000);
    }
  });
});
