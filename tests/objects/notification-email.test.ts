import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { MAIL_PASSWORD, MAIL_USER, startMailServer } from "../support/mail-server.ts";
import type { MailServer } from "../support/mail-server.ts";
import { ended } from "../support/management.ts";
import { startScriptedServer } from "../support/scripted-server.ts";
import type { ScriptedServer } from "../support/scripted-server.ts";
import { nodeOf, notify, notifyOnce, notifyTemplated, outputOf, startNotification } from "../support/notifications.ts";

/** Email from a workflow to a real mail server, with the Worker in workerd. */
const FROM = "Bellhop Alerts <alerts@example.com>";

let certificate: { key: string; cert: string };
let mail: MailServer;
let bellhop: Bellhop;

beforeAll(async () => {
  certificate = await selfSigned("DNS:localhost");
  mail = await startMailServer(certificate);
  bellhop = await startWith(`smtp://${login()}@localhost:${mail.port}?starttls=required`);
});
afterAll(async () => {
  await bellhop?.stop();
  await mail?.stop();
});

function login(password = MAIL_PASSWORD): string {
  return `${encodeURIComponent(MAIL_USER)}:${encodeURIComponent(password)}`;
}

function startWith(smtpUrl: string, trusted = certificate.cert): Promise<Bellhop> {
  return startBellhop({
    bindings: { NOTIFY_EMAIL_FROM: FROM, NOTIFY_SMTP_URL: smtpUrl },
    trustedCertificates: [trusted],
  });
}

/** A separate Bellhop for one test. */
async function withSmtp<T>(url: string, work: (bellhop: Bellhop) => Promise<T>): Promise<T> {
  const own = await startWith(url);
  try {
    return await work(own);
  } finally {
    await own.stop();
  }
}

test("a message reaches its recipients over STARTTLS with the login, and the run shows the delivery", async () => {
  const run = await notify(bellhop, {
    channel: "email",
    to: "ada@example.com, Grace <grace@example.com>",
    subject: "Gerät voll ☃",
    message: ".first\nÄ second line\n.",
  });
  expect(run).toMatchObject({ status: "succeeded", error: null });
  const [received, ...others] = mail.mailsTo("ada@example.com");
  expect(others).toEqual([]);
  expect(received).toMatchObject({
    from: "alerts@example.com",
    to: ["ada@example.com", "grace@example.com"],
    user: MAIL_USER,
    secure: true,
  });
  expect(received?.text.split("\r\n\r\n")[1]).toBe(".first\r\n=C3=84 second line\r\n.\r\n");
  expect(received?.text).toContain('From: "Bellhop Alerts"\r\n <alerts@example.com>\r\n');
  expect(received?.text).toContain("Subject: =?UTF-8?Q?Ger=C3=A4t_voll_=E2=98=83?=\r\n");
  expect(outputOf(run)).toMatchObject({
    channel: "email",
    to: ["ada@example.com", "grace@example.com"],
    attempts: [{ result: "accepted", statusCode: 250 }],
    messageId: `<${run.id}@example.com>`,
    accepted: ["ada@example.com", "grace@example.com"],
    rejected: [],
  });
  expect(received?.text).toContain(`Message-ID: <${run.id}@example.com>\r\n`);
  expect(run.timeline.startedAt).not.toBeNull();
});

test("a list of recipients gets the message once each, and the time of every attempt is recorded", async () => {
  const to = ["list-a@example.com", "list-b@example.com", "LIST-a@example.com"];
  const run = await notify(bellhop, { channel: "email", to, message: "x" });
  expect(outputOf(run).accepted).toHaveLength(2);
  const [attempt] = outputOf(run).attempts;
  expect(new Date(attempt?.at ?? "").getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test("a recipient that the server does not know is named, and the others get the message", async () => {
  const run = await notify(bellhop, { channel: "email", to: "some@example.com,unknown@example.com", message: "x" });
  expect(run.status).toBe("succeeded");
  expect(outputOf(run)).toMatchObject({
    accepted: ["some@example.com"],
    rejected: [{ address: "unknown@example.com", statusCode: 550, detail: expect.stringContaining("no such user") }],
  });
});

test("a Message-ID that the server replaced is the one in the output", async () => {
  const replaced = "<0a1b@mail.prod.outlook.com>";
  const outlook: ScriptedServer = await startScriptedServer((line) => {
    if (line === null) return "220 outlook.example ESMTP";
    if (line === ".") return `250 2.0.0 OK ${replaced} [Hostname=mail]`;
    if (outlook.lines.includes("DATA")) return line === "DATA" ? "354 go on" : null;
    return "250 fine";
  });
  await withSmtp(`smtp://127.0.0.1:${outlook.port}`, async (own) => {
    const run = await notify(own, { channel: "email", to: "ada@example.com", message: "x" });
    expect(outputOf(run).messageId).toBe(replaced);
  });
  await outlook.stop();
});

describe("a mail server that refuses or does not answer", () => {
  test.each([
    ["unknown@example.com", "rejected", "refused", 550],
    ["big@example.com", "rejected", "refused", 552],
    ["grey@example.com", "unavailable", "refused", 450],
    ["cutoff@example.com", "unreachable", "unreachable", null],
  ] as const)("for %s fails the node with %s after an attempt that was %s", async (to, code, result, statusCode) => {
    const run = await notifyOnce(bellhop, { channel: "email", to, message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code } });
    expect(outputOf(run).attempts).toMatchObject([{ result, statusCode }]);
  });

  test("with a size limit is not sent a larger message", async () => {
    const small = await startScriptedServer((line) => {
      if (line === null) return "220 small.example ESMTP";
      return line.startsWith("EHLO") ? "250-small.example\r\n250 SIZE 100" : "250 fine";
    });
    await withSmtp(`smtp://127.0.0.1:${small.port}`, async (own) => {
      const run = await notify(own, { channel: "email", to: "ada@example.com", message: "x" });
      expect(run).toMatchObject({ status: "failed", error: { code: "rejected" } });
      expect(outputOf(run).attempts).toMatchObject([{ result: "refused", statusCode: 552 }]);
    });
    expect(small.lines.filter((line) => /^(MAIL|DATA)/u.test(line))).toEqual([]);
    await small.stop();
  });

  test("with temporary refusals gets the message again, for those recipients only", async () => {
    const to = ["greyonce@example.com", "first@example.com"];
    const run = await notify(bellhop, { channel: "email", to, message: "x" });
    expect(run.status).toBe("succeeded");
    expect(outputOf(run)).toMatchObject({ accepted: ["first@example.com", "greyonce@example.com"], rejected: [] });
    expect(mail.mailsTo("first@example.com").map(({ to }) => to)).toEqual([["first@example.com"]]);
    expect(mail.mailsTo("greyonce@example.com").map(({ to }) => to)).toEqual([["greyonce@example.com"]]);
  });
});

test("a wrong password fails the node immediately, says what to set, and is shown nowhere", async () => {
  const wrong = "wrong-pässword-1234";
  await withSmtp(`smtp://${login(wrong)}@localhost:${mail.port}?starttls=required`, async (own) => {
    const run = await notify(own, { channel: "email", to: "ada@example.com", message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
    expect(run.error?.message).toContain("set NOTIFY_SMTP_URL again");
    expect(JSON.stringify(run)).toContain("wrong password ***");
    expect(JSON.stringify(run)).not.toContain(wrong);
  });
});

describe("a message is never sent twice", () => {
  test("when the connection is lost after the whole message, also by the node's retry", async () => {
    const retry = { retry: { maxAttempts: 3, backoffSeconds: 0 } };
    const run = await notify(bellhop, { channel: "email", to: "gone@example.com", message: "x" }, retry);
    expect(run).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
    expect(run.error?.message).toContain("Check whether it arrived before you send it again");
    expect(outputOf(run).attempts).toMatchObject([{ result: "unknown" }]);
    expect(mail.mailsTo("gone@example.com")).toHaveLength(1);
  });

  test("when the reply to the whole message does not come in the node's time", async () => {
    const run = await notifyOnce(bellhop, { channel: "email", to: "held@example.com", message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(mail.mailsTo("held@example.com")).toHaveLength(1);
  });

  test("when the reply to the whole message is no refusal", async () => {
    const odd: ScriptedServer = await startScriptedServer((line) => {
      if (line === null) return "220 odd.example ESMTP";
      if (line === "." || line === "DATA") return "354 go on";
      return odd.lines.includes("DATA") ? null : "250 fine";
    });
    await withSmtp(`smtp://127.0.0.1:${odd.port}`, async (own) => {
      const run = await notify(own, { channel: "email", to: "ada@example.com", message: "x" });
      expect(run).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    });
    expect(odd.lines.filter((line) => line === ".")).toHaveLength(1);
    await odd.stop();
  });

  test("when the service crashes after the whole message", async () => {
    const to = "held@crash.example.com";
    const executionId = await startNotification(bellhop, { channel: "email", to, message: "x" });
    await eventually("the message", () => mail.mailsTo(to).length === 1);
    await bellhop.restartWorker();
    const run = nodeOf(await ended(bellhop, executionId));
    expect(run).toMatchObject({ status: "failed", error: { code: "outcome_unknown" } });
    expect(outputOf(run).attempts).toMatchObject([{ result: "interrupted" }]);
    expect(mail.mailsTo(to)).toHaveLength(1);
  });

  test("when the service crashes before the message: it is sent, once", async () => {
    const to = "waitonce@example.com";
    const executionId = await startNotification(bellhop, { channel: "email", to, message: "x" });
    await eventually("the first attempt", () => mail.asked.has(to));
    await bellhop.restartWorker();
    const run = nodeOf(await ended(bellhop, executionId));
    expect(run).toMatchObject({ status: "succeeded" });
    expect(outputOf(run).attempts).toMatchObject([{ result: "interrupted" }, { result: "accepted" }]);
    expect(mail.mailsTo(to)).toHaveLength(1);
  });

  test("when it is large: it arrives whole", async () => {
    const message = Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join("\n");
    const to = "large@example.com";
    await notify(bellhop, { channel: "email", to, message });
    const [, body] = mail.mailsTo(to)[0]?.text.split("\r\n\r\n") ?? [];
    expect(body).toBe(`${message.replaceAll("\n", "\r\n")}\r\n`);
  });
});

describe("encryption", () => {
  test("a server without STARTTLS gets neither login nor message", async () => {
    const plain = await startMailServer({ noStartTls: true });
    await withSmtp(`smtp://${login()}@localhost:${plain.port}?starttls=required`, async (own) => {
      const run = await notifyOnce(own, { channel: "email", to: "ada@example.com", message: "x" });
      expect(run).toMatchObject({ status: "failed", error: { code: "rejected" } });
      expect(run.error?.message).toContain("It does not offer STARTTLS");
    });
    expect(plain.mails).toEqual([]);
    await plain.stop();
  });

  test("a server without STARTTLS may be used on this machine", async () => {
    const plain = await startMailServer({ noStartTls: true });
    await withSmtp(`smtp://${login()}@127.0.0.1:${plain.port}`, async (own) => {
      expect(await notify(own, { channel: "email", to: "ada@example.com", message: "x" })).toMatchObject({
        status: "succeeded",
      });
    });
    expect(plain.mails).toMatchObject([{ secure: false, user: MAIL_USER }]);
    await plain.stop();
  });

  test("smtps is encrypted from the first byte", async () => {
    const secure = await startMailServer({ ...certificate, secure: true });
    await withSmtp(`smtps://${login()}@localhost:${secure.port}`, async (own) => {
      expect(await notify(own, { channel: "email", to: "ada@example.com", message: "x" })).toMatchObject({
        status: "succeeded",
      });
    });
    expect(secure.mails).toMatchObject([{ secure: true, user: MAIL_USER }]);
    await secure.stop();
  });

  test.each([
    ["smtp", "from an unknown authority", "DNS:localhost", false],
    ["smtps", "from an unknown authority", "DNS:localhost", false],
    ["smtp", "of another name", "DNS:elsewhere.example", true],
    ["smtps", "of another name", "DNS:elsewhere.example", true],
  ] as const)("%s: a certificate %s ends the connection before the login", async (scheme, _, name, trusted) => {
    const other = await selfSigned(name);
    const impostor = await startMailServer({ ...other, secure: scheme === "smtps" });
    const own = await startWith(
      `${scheme}://${login()}@localhost:${impostor.port}?starttls=required`,
      trusted ? other.cert : certificate.cert,
    );
    const run = await notifyOnce(own, { channel: "email", to: "ada@example.com", message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    expect(run.error?.message).toContain("certificate");
    expect(impostor.mails).toEqual([]);
    await own.stop();
    await impostor.stop();
  });
});

describe("parameters are refused that have", () => {
  test.each([
    ["no address", "ada", "ada"],
    ["a line break, which would begin another header", "ada@example.com\r\nBcc: eve@example.com", "eve"],
    ["an empty list", " , ", "empty"],
  ])("%s", async (_, to, said) => {
    const run = await notifyTemplated(bellhop, { channel: "email", to, message: "x" });
    expect(run).toMatchObject({ status: "failed", error: { code: "invalid_params" }, output: null });
    expect(run.error?.message).toContain(said);
  });

  test("a line break in a subject begins no header", async () => {
    const to = "subject@example.com";
    await notify(bellhop, { channel: "email", to, subject: "Hi\r\nBcc: eve@example.com", message: "x" });
    const [received] = mail.mailsTo(to);
    expect(received?.text).toContain("Subject: Hi Bcc: eve@example.com\r\n");
    expect(received?.to).toEqual([to]);
  });
});
