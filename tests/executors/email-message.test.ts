import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { Exim, EXIM_NAME, EXIM_PASSWORD, EXIM_SIZE_LIMIT, EXIM_USER, eximMissing } from "../support/exim.ts";
import { partText } from "../support/parse-mail.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";

let exim: Exim;
let agent: TrustingAgent;
beforeAll(async () => {
  if (eximMissing !== null) return;
  exim = await Exim.start();
  agent = new TrustingAgent(exim.certificateFile);
});
afterAll(async () => {
  await agent?.stop();
  await exim?.stop();
});

function configured(changes: JsonObject = {}): JsonObject {
  return { smtpHost: exim.host, smtpPort: exim.port, useTls: true, fromAddress: EXIM_USER, ...changes };
}

function send(params: JsonObject, config: JsonObject = configured(), secrets: Record<string, string> | null = LOGIN) {
  return agent.run({ type: "email", action: "email.sendEmail", config, secrets, params });
}

const LOGIN = { password: EXIM_PASSWORD };
let subjects = 0;
const newSubject = (): string => `message ${(subjects += 1)}`;

describe.skipIf(eximMissing !== null)("a message through a real mail server", () => {
  test("arrives with its text, HTML and attachments unchanged", async () => {
    const subject = newSubject();
    const text = `${"a long line ".repeat(120)}\n.\n..two dots\nFrom here: größer = 日本\n`;
    const html = '<p style="color:red">größer</p>';
    const attachments: JsonObject[] = [
      { filename: "Bericht ä.csv", content: "a;b\r\n1;2", contentType: "text/csv" },
      { filename: 'a "quoted"; name.bin', content: "AP8QAA==", encoding: "base64" },
      { filename: "empty.txt", content: "" },
    ];
    const result = await send({ to: "ada@bellhop.test", subject, text, html, attachments });
    expect(result).toMatchObject({
      status: "succeeded",
      output: { messageId: "<job_1@bellhop.test>", accepted: ["ada@bellhop.test"], rejected: [] },
    });
    expect(String(result.output?.["response"])).toStartWith("250 OK id=");
    const mail = await exim.mail(subject);
    expect(mail.defects).toEqual([]);
    expect(mail.headers).toMatchObject({
      From: EXIM_USER,
      To: "ada@bellhop.test",
      "Message-ID": "<job_1@bellhop.test>",
      "Auto-Submitted": "auto-generated",
    });
    expect(partText(mail, "text/plain").trimEnd()).toBe(text.trimEnd());
    expect(partText(mail, "text/html").trimEnd()).toBe(html);
    expect(partText(mail, "text/csv", "Bericht ä.csv")).toBe("a;b\r\n1;2");
    expect(partText(mail, "application/octet-stream", 'a "quoted"; name.bin')).toBe(
      Buffer.from("AP8QAA==", "base64").toString("utf8"),
    );
    expect(partText(mail, "text/plain", "empty.txt")).toBe("");
    expect(mail.parts).toHaveLength(5);
  });

  test("goes once to each address of to, cc and bcc, and no header has bcc", async () => {
    const subject = newSubject();
    const result = await send({
      to: 'Ada Lovelace <ada@bellhop.test>; "Bob, the second" <bob@bellhop.test>',
      cc: ["Jörg <jörg@köln.test>", "ADA@bellhop.test"],
      bcc: "hidden@bellhop.test, ",
      subject,
      html: "<p>only HTML</p>",
    });
    const reached = ["ada@bellhop.test", "bob@bellhop.test", "jörg@xn--kln-sna.test", "hidden@bellhop.test"];
    expect(result.output).toMatchObject({ accepted: reached, rejected: [] });
    const mail = await exim.mail(subject);
    expect(mail.envelopeTo.toSorted()).toEqual(reached.toSorted());
    expect(mail.headers["To"]).toBe('Ada Lovelace <ada@bellhop.test>, "Bob, the second" <bob@bellhop.test>');
    expect(mail.headers["Cc"]).toContain("Jörg <jörg@köln.test>");
    expect(mail.raw.split("\n\n")[0]?.replace(/^Envelope-to: .*(\n .*)*/mu, "")).not.toContain("hidden");
  });

  test("gets no other header or recipient from its subject", async () => {
    const subject = newSubject();
    const attack = `${subject}\r\nBcc: evil@bellhop.test\r\n\r\nanother body`;
    expect((await send({ to: "ada@bellhop.test", subject: attack, text: "x" })).status).toBe("succeeded");
    const mail = await exim.mail(`${subject} Bcc: evil@bellhop.test another body`);
    expect(mail.envelopeTo).toEqual(["ada@bellhop.test"]);
    expect(mail.names).not.toContain("Bcc");
    expect(partText(mail, "text/plain").trim()).toBe("x");
  });

  test("reaches the accepted recipients, and the output has the refused ones with the server's reasons", async () => {
    const subject = newSubject();
    const to = ["unknown@bellhop.test", "ada@bellhop.test", "grey@bellhop.test"];
    expect(await send({ to, subject, text: "x" })).toMatchObject({
      status: "succeeded",
      output: {
        accepted: ["ada@bellhop.test"],
        rejected: [
          { address: "unknown@bellhop.test", statusCode: 550, detail: "no such user" },
          { address: "grey@bellhop.test", statusCode: 451, detail: "come back later" },
        ],
      },
    });
    expect((await exim.mail(subject)).envelopeTo).toEqual(["ada@bellhop.test"]);
  });

  test("fails when every recipient is refused", async () => {
    const result = await send({
      to: "unknown@bellhop.test",
      bcc: "grey@bellhop.test",
      subject: newSubject(),
      text: "x",
    });
    expectFailure(result, "recipients_refused", ["unknown@bellhop.test: 550 no such user", "grey@bellhop.test: 451"]);
    expect(result.output).toMatchObject({ accepted: [], rejected: [{ statusCode: 550 }, { statusCode: 451 }] });
  });

  test("fails when the sender is refused", async () => {
    const config = configured({ fromAddress: "banned@bellhop.test" });
    const secrets = { username: EXIM_USER, password: EXIM_PASSWORD };
    const result = await send({ to: "ada@bellhop.test", subject: newSubject(), text: "x" }, config, secrets);
    expectFailure(result, "message_refused", ["refused the sender", "550 sender is not welcome"]);
  });

  test("that is larger than the server accepts fails before it is sent", async () => {
    const subject = newSubject();
    const result = await send({ to: "ada@bellhop.test", subject, text: "x".repeat(EXIM_SIZE_LIMIT + 1) });
    expectFailure(result, "message_refused", [String(EXIM_SIZE_LIMIT)]);
    // If the server had been asked, its log would say so.
    expect(await exim.log()).not.toMatch(/too (big|large)/u);
  });

  test("without a login is refused with advice about the login", async () => {
    const result = await send({ to: "ada@bellhop.test", subject: newSubject(), text: "x" }, configured(), null);
    expectFailure(result, "recipients_refused", [
      "relay not permitted without a login",
      "whether the server requires a login",
    ]);
  });

  test("is encrypted from the start on port 465", async () => {
    const subject = newSubject();
    const config = configured({ smtpHost: exim.tlsHost, smtpPort: 465 });
    expect((await send({ to: "ada@bellhop.test", subject, text: "x" }, config)).status).toBe("succeeded");
    expect((await exim.mail(subject)).headers["Received"]).toContain("esmtpsa");
    const checks = (await agent.run({ type: "email", action: null, config, secrets: LOGIN })).output?.["checks"];
    expect(checks).toMatchObject([
      { name: "TCP connection", ok: true },
      { name: "TLS", ok: true },
      { name: "Authentication", ok: true },
    ]);
  });
});

describe.skipIf(eximMissing !== null)("a test of an email connection", () => {
  const check = async (config: JsonObject, secrets: Record<string, string> | null = LOGIN) =>
    (await agent.run({ type: "email", action: null, config, secrets })).output;

  test("connects, encrypts and logs in, and names the server", async () => {
    const output = await check(configured());
    expect(output).toMatchObject({
      ok: true,
      checks: [
        { name: "TCP connection", ok: true },
        { name: "STARTTLS", ok: true },
        { name: "Authentication", ok: true, detail: `Logged in as ${EXIM_USER}.` },
      ],
    });
    expect(JSON.stringify(output)).toContain(EXIM_NAME);
  });

  test("says that the login was refused, without the password", async () => {
    const output = await check(configured(), { password: "not the right one" });
    expect(output).toMatchObject({
      ok: false,
      checks: [{ ok: true }, { ok: true }, { name: "Authentication", ok: false }],
    });
    expect(JSON.stringify(output)).toContain("535");
    expect(JSON.stringify(output)).not.toContain("not the right one");
  });

  test("says that a login can be delivered when the connection has none", async () => {
    const output = await check(configured(), null);
    expect(output).toMatchObject({ ok: true, checks: [{}, {}, { name: "Authentication", ok: true }] });
    expect(JSON.stringify(output)).toContain("Deliver one");
  });

  test("says what to deliver when the credential has no password", async () => {
    const output = await check(configured(), { username: EXIM_USER });
    expect(output).toMatchObject({
      ok: false,
      checks: [{ ok: true }, { ok: true }, { name: "Authentication", ok: false }],
    });
  });

  test("fails for a certificate of another name", async () => {
    const output = await check(configured({ smtpHost: "localhost" }));
    expect(output).toMatchObject({
      ok: false,
      checks: [
        { name: "TCP connection", ok: true },
        { name: "STARTTLS", ok: false },
      ],
    });
    expect(JSON.stringify(output)).toContain("smtpHost is the name in its certificate");
  });
});

function expectFailure(result: JobResult, code: string, parts: readonly string[]): void {
  expect({ status: result.status, code: result.error?.code }).toEqual({ status: "failed", code });
  for (const part of parts) expect(result.error?.message).toContain(part);
}
