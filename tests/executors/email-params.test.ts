import { describe, expect, test } from "bun:test";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { parseMailbox, splitAddresses } from "../../schema/contract/mail-address.ts";
import { failureOf, runAction } from "../support/executor-context.ts";

const TAKEN: Record<string, { name: string | null; address: string }> = {
  "ada@example.com": { name: null, address: "ada@example.com" },
  "  ada@example.com ": { name: null, address: "ada@example.com" },
  "<ada@example.com>": { name: null, address: "ada@example.com" },
  "Ada Lovelace <ada@example.com>": { name: "Ada Lovelace", address: "ada@example.com" },
  '"Lovelace, \\"Ada\\"" <ada@example.com>': { name: 'Lovelace, "Ada"', address: "ada@example.com" },
  "jörg@köln.example": { name: null, address: "jörg@xn--kln-sna.example" },
  "o'hara+tag@EXAMPLE.com": { name: null, address: "o'hara+tag@example.com" },
  "root@localhost": { name: null, address: "root@localhost" },
};

const REFUSED = [
  "ada",
  "@example.com",
  "ada@",
  "ada@@example.com",
  "a b@example.com",
  ".ada@example.com",
  "ada..l@example.com",
  "ada@example..com",
  "ada@example.com.",
  "ada@-example.com",
  "ada@[127.0.0.1]",
  "ada@127.0.0.1",
  "ada@2130706433",
  '"ada smith"@example.com',
  "friends: ada@example.com",
  "<@relay.example:ada@example.com>",
  "ada@example.com> SIZE=1",
  "ada@example.com\r\nRCPT TO:<evil@example.com>",
  "Ada\r\nBcc: evil@example.com <ada@example.com>",
  "Ada\u0000 <ada@example.com>",
  "Ada <ada@example.com> <evil@example.com>",
  "Ada\ud800 <ada@example.com>",
  `${"a".repeat(65)}@example.com`,
  `ada@${"a".repeat(64)}.example`,
  `ada@${"abcdefghi.".repeat(26)}example`,
];

describe("a mail address", () => {
  for (const [text, mailbox] of Object.entries(TAKEN)) {
    test(`may be ${JSON.stringify(text)}`, () => {
      expect(parseMailbox(text)).toEqual(mailbox);
    });
  }
  for (const text of REFUSED) {
    test(`may not be ${JSON.stringify(text.slice(0, 60))}`, () => expect(parseMailbox(text)).toBeNull());
  }
});

test("lists of mail addresses are split at commas and semicolons outside quotes", () => {
  const lists = {
    "a@x.org, b@x.org;c@x.org": ["a@x.org", "b@x.org", "c@x.org"],
    '"A, the first; one" <a@x.org>,,; b@x.org': ['"A, the first; one" <a@x.org>', "b@x.org"],
    '"quote \\" and, more" <a@x.org>, b@x.org': ['"quote \\" and, more" <a@x.org>', "b@x.org"],
    " , ;": [],
  };
  for (const [text, members] of Object.entries(lists)) {
    expect(splitAddresses(text)).toEqual(members);
  }
});

describe("invalid parameters of a message are refused before any connection", () => {
  const attached = (changes: JsonObject): JsonObject => ({
    attachments: [{ filename: "a.txt", content: "x", ...changes }],
  });
  const cases: [string, JsonObject, string][] = [
    ["without text and html", {}, "Give text, html or both"],
    ["with empty text", { text: "", subject: "" }, "The message is empty"],
    ["with whitespace only", { text: " \n", html: "\t", attachments: [] }, "The message is empty"],
    ["without a recipient", { text: "x", to: " , " }, "to is empty"],
    ["with an invalid address", { text: "x", cc: ["ada@example.com", "nonsense"] }, "cc must hold mail addresses"],
    ["with an SMTP command in an address", { text: "x", to: "a@x.org>\r\nDATA" }, "to must hold"],
    ["with a line break in a name", { text: "x", bcc: "A\nB <a@x.org>" }, "bcc must hold"],
    ["with too many recipients", { text: "x", to: recipients(100), bcc: "one@more.example" }, "101 recipients"],
    ["with a line break in a filename", { text: "x", ...attached({ filename: "a\r\nX: y.txt" }) }, "needs a name"],
    ["with a path as filename", { text: "x", ...attached({ filename: "../a.txt" }) }, "needs a name"],
    [
      "with a header in a content type",
      { text: "x", ...attached({ contentType: "text/plain\r\nX: y" }) },
      "media type",
    ],
    ["with an invalid content type", { text: "x", ...attached({ contentType: "text" }) }, "media type"],
    ["with a multipart attachment", { text: "x", ...attached({ contentType: "Multipart/mixed" }) }, "multipart/…"],
    ["with invalid base64", { text: "x", ...attached({ content: "ä!", encoding: "base64" }) }, "not base64"],
    ["with a file of the agent's host", { text: "x", ...attached({ path: "/etc/passwd" }) }, "path"],
    ["with content that is not a string", { text: "x", ...attached({ content: { path: "/etc/passwd" } }) }, "content"],
    ["with text that is not a string", { text: { path: "/etc/passwd" } }, "text"],
    ["with other headers", { text: "x", headers: { Bcc: "a@x.org" } }, "headers"],
  ];
  for (const [name, params, part] of cases) {
    test(name, async () => {
      const config = { smtpHost: "127.0.0.1", smtpPort: 9, useTls: true, fromAddress: "robot@example.com" };
      const given = { to: "ada@example.com", subject: "about", ...params };
      const failure = failureOf(await runAction("email", "email.sendEmail", { config, params: given }));
      expect(failure.code).toBe("invalid_params");
      expect(failure.message).toContain(part);
    });
  }
});

function recipients(count: number): JsonValue {
  return Array.from({ length: count }, (_, index) => `r${index}@example.com`);
}
