import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseMailbox, splitAddresses } from "../../schema/contract/mail-address.ts";
import { composeMail, quotedPrintable, textHeader } from "../../worker/domain/notification/mail-message.ts";

const MESSAGE = {
  from: { name: "Bellhop", address: "alerts@example.com" },
  to: [{ name: null, address: "ada@example.com" }],
  subject: "Disk full",
  text: "Host web-1",
  messageId: "job_1@example.com",
  date: Date.UTC(2026, 0, 5, 12),
};

describe("addresses", () => {
  test.each([
    ["ada@example.com", null, "ada@example.com"],
    ["Ada Lovelace <ada+x@example.co.uk>", "Ada Lovelace", "ada+x@example.co.uk"],
    ['"Lovelace, Ada \\"A\\"" <ada@example.com>', 'Lovelace, Ada "A"', "ada@example.com"],
    ["<ada@example.com>", null, "ada@example.com"],
    ["用户@例子.测试", null, "用户@xn--fsqu00a.xn--0zwm56d"],
    ["root@localhost", null, "root@localhost"],
  ])("%j has the name %p and the address %s", (text, name, address) => {
    expect(parseMailbox(text)).toEqual({ name, address });
  });

  test.each([
    "",
    "ada",
    "@example.com",
    "ada@",
    "ada@example..com",
    "ada@-example.com",
    "a b@example.com",
    ".ada@example.com",
    "ada@example.com\r\nBcc: eve@example.com",
    "Ada\n <ada@example.com>",
    "ada@example.com>",
    "<ada@example.com> <eve@example.com>",
    "ada@exam ple.com",
    "ada@[127.0.0.1]",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
  ])("%j is refused", (text) => {
    expect(parseMailbox(text)).toBeNull();
  });

  test("a list is split at commas and semicolons, but not within quotes or brackets", () => {
    expect(splitAddresses('a@x.com, "B, b" <b@x.com>;c@x.com ,')).toEqual(["a@x.com", '"B, b" <b@x.com>', "c@x.com"]);
    expect(splitAddresses(" , ")).toEqual([]);
  });
});

describe("the message", () => {
  test("has headers and a body as in RFC 5322", () => {
    expect(composeMail(MESSAGE).split("\r\n")).toEqual([
      'From: "Bellhop"',
      " <alerts@example.com>",
      "To: <ada@example.com>",
      "Subject: Disk full",
      "Date: Mon, 05 Jan 2026 12:00:00 +0000",
      "Message-ID: <job_1@example.com>",
      "MIME-Version: 1.0",
      "Auto-Submitted: auto-generated",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Host web-1",
      "",
    ]);
  });

  test("a subject cannot start another header", () => {
    const mail = composeMail({ ...MESSAGE, subject: "Hi\r\nBcc: eve@example.com\r\n\r\nbody" });
    expect(mail).toContain("Subject: Hi Bcc: eve@example.com body\r\nDate:");
    expect(mail).not.toMatch(/^Bcc/mu);
  });

  test("a subject that looks like an encoded word is shown unchanged", () => {
    expect(decodedHeader(textHeader("=?UTF-8?Q?gotcha?="))).toBe("=?UTF-8?Q?gotcha?=");
  });

  const texts = fc.string({
    unit: fc.oneof(fc.constantFrom(..."abc =._\t?\r\n"), fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })),
    maxLength: 300,
  });

  test("any subject decodes to itself, from lines of seven-bit text within the length limit", () => {
    fc.assert(
      fc.property(texts, (subject) => {
        const header = textHeader(subject);
        expect(decodedHeader(header)).toBe(subject.replaceAll(/\p{Cc}+/gu, " ").trim());
        expect(header).toMatch(/^[\u0020-\u007e\r\n]*$/u);
        for (const line of header.split("\r\n")) expect(line.length).toBeLessThanOrEqual(76);
        expect(header).not.toMatch(/\n(?! )/u);
      }),
    );
  });

  test("any text decodes to itself, from lines of seven-bit text within the length limit", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const body = quotedPrintable(text);
        expect(decodedBody(body)).toBe(text.replaceAll(/\r\n|\r|\n/gu, "\r\n"));
        expect(body).toMatch(/^[\t\u0020-\u007e\r\n]*$/u);
        for (const line of body.split("\r\n")) {
          expect(line.length).toBeLessThanOrEqual(76);
          expect(line).not.toMatch(/[ \t]$/u);
        }
      }),
    );
  });
});

/** Decodes quoted-printable (RFC 2045, 6.7). */
function decodedBody(body: string): string {
  return bytesOf(body.replaceAll("=\r\n", "")).toString("utf8");
}

/** Decodes RFC 2047: white space between two encoded words is not text. */
function decodedHeader(header: string): string {
  return header
    .replaceAll(/\?=\r\n =\?/gu, "?==?")
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gu, (_, word: string) => bytesOf(word.replaceAll("_", " ")).toString("utf8"));
}

function bytesOf(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    "latin1",
  );
}
