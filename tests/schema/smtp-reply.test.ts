import { describe, expect, test } from "bun:test";
import { isTemporaryReply, readReply, readSmtpFailure } from "../../schema/contract/smtp-reply.ts";

const setup = { securing: false, handedOver: false };
const handshake = { securing: true, handedOver: false };
const delivery = { securing: false, handedOver: true };

function show(text: string): string {
  return text.replaceAll("hunter2", "***");
}

/** An error in the form of nodemailer's. */
function failed(code: string, response?: string, more: object = {}): Error {
  const message = response === undefined ? "No answer" : `It failed: ${response}`;
  return Object.assign(new Error(message), { code, ...(response === undefined ? {} : { response }), ...more });
}

describe("a failed message", () => {
  test.each([
    ["a greeting that refuses", failed("EPROTOCOL", "554 no"), setup, "refused", 554],
    ["text that is not a reply", failed("EPROTOCOL", "HTTP/1.1 400 Bad Request"), setup, "lost", null],
    ["a server without STARTTLS", failed("ETLS", "502 what?"), setup, "tls", 502],
    ["a handshake that fails", failed("ESOCKET"), handshake, "tls", null],
    ["a login that is refused", failed("EAUTH", "535 wrong"), setup, "login", 535],
    ["a sender without a login", failed("EENVELOPE", "530 log in"), setup, "login", 530],
    ["recipients without a login", failed("EENVELOPE", "530 log in", { rejectedErrors: [] }), setup, "login", 530],
    ["recipients that are refused", failed("EENVELOPE", "550 no", { rejectedErrors: [] }), setup, "recipients", 550],
    ["a sender that is refused", failed("EENVELOPE", "550 not you"), setup, "refused", 550],
    ["a message beyond the server's limit", failed("EMESSAGE"), setup, "too_large", null],
    ["a refused message", failed("EMESSAGE", "552 too big"), delivery, "refused", 552],
    ["a server that goes away first", failed("ECONNECTION"), setup, "lost", null],
    ["a server that says why it goes away", failed("ECONNECTION", "421 bye"), delivery, "refused", 421],
    ["a server that goes away after the final dot", failed("ECONNECTION"), delivery, "unknown", null],
    ["text without a code after the final dot", failed("EMESSAGE", "what?"), delivery, "unknown", null],
    ["a reply that is not a refusal after the final dot", failed("EMESSAGE", "354 go on"), delivery, "unknown", 354],
    ["a value that is not an error", "odd", setup, "lost", null],
  ] as const)("%s", (_, error, progress, kind, statusCode) => {
    expect(readSmtpFailure(error, progress, show)).toMatchObject({ kind, statusCode });
  });

  test("has each recipient with its own reply", () => {
    const rejectedErrors = [
      failed("EENVELOPE", "550 5.1.1 no hunter2", { recipient: "a@example.com" }),
      failed("EENVELOPE", "450-4.2.0 come\r\n450 back", { recipient: "b@example.com" }),
    ];
    const failure = readSmtpFailure(failed("EENVELOPE", "450 4.2.0", { rejectedErrors }), setup, show);
    expect(failure.rejected).toEqual([
      { address: "a@example.com", statusCode: 550, detail: "5.1.1 no ***" },
      { address: "b@example.com", statusCode: 450, detail: "4.2.0 come back" },
    ]);
  });

  test("without a reply has the error's message, without secrets", () => {
    expect(readSmtpFailure(new Error("no hunter2"), setup, show).text).toBe("no ***");
  });
});

test.each([
  ["250 2.0.0 fine", 250, "2.0.0 fine"],
  ["250-first\r\n250 second", 250, "first second"],
  ["250", 250, ""],
  ["2500 is no code", null, "2500 is no code"],
  ["", null, ""],
])("the reply %j is %p with the text %j", (response, statusCode, text) => {
  expect(readReply(response, show)).toEqual({ statusCode, text });
});

test("a reply that begins with 4 is temporary", () => {
  expect([null, 250, 399, 400, 499, 500].filter(isTemporaryReply)).toEqual([400, 499]);
});
