import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import type { JobResult } from "../../schema/contract/agent.ts";
import { selfSigned } from "../support/certificate.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { MAIL_PASSWORD, MAIL_USER, type MailServer, startMailServer } from "../support/mail-server.ts";
import { beginJob, type JobToRun, runJob, runUntilTimeOut } from "../support/run-job.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer({ noStartTls: true });
});
afterAll(() => server.stop());

function mailTo(to: string, { config, ...changes }: Partial<JobToRun> = {}): JobToRun {
  return {
    type: "email",
    action: "email.sendEmail",
    config: { smtpHost: "127.0.0.1", smtpPort: server.port, useTls: false, fromAddress: MAIL_USER, ...config },
    secrets: { password: MAIL_PASSWORD },
    params: { to, subject: "about", text: "something" },
    ...changes,
  };
}

describe("a mail session", () => {
  test("uses the credential's user, or the sender's address, as login", async () => {
    await runJob(mailTo("plain@example.com"));
    await runJob(mailTo("named@example.com", { secrets: { username: MAIL_USER, password: `${MAIL_PASSWORD}\n` } }));
    expect(server.mailsTo("plain@example.com")).toMatchObject([{ user: MAIL_USER, from: MAIL_USER }]);
    expect(server.mailsTo("named@example.com")).toMatchObject([{ user: MAIL_USER }]);
  });

  test("does not quote a refusal that contains the password", async () => {
    const password = "abc";
    const result = await runJob(mailTo("plain@example.com", { secrets: { password } }));
    expectFailure(result, "authentication_failed", ["535", MAIL_USER]);
    expect(JSON.stringify(result)).not.toContain(password);
  });

  test("names a missing login when the server asks for one", async () => {
    const result = await runJob(mailTo("plain@example.com", { secrets: null }));
    expectFailure(result, "authentication_failed", ["530", "No password was delivered"]);
  });

  test("fails with the server's words when the message is refused", async () => {
    expectFailure(await runJob(mailTo("big@example.com")), "message_refused", ["552", "too big"]);
  });

  test("that breaks before the message has sent nothing", async () => {
    expectFailure(await runJob(mailTo("cutoff@example.com")), "connection_lost", ["was not sent"]);
    expect(server.mailsTo("cutoff@example.com")).toEqual([]);
  });

  test("that breaks after the final dot has an unknown outcome", async () => {
    expectFailure(await runJob(mailTo("gone@example.com")), "outcome_unknown", ["Check whether the message arrived"]);
    expect(server.mailsTo("gone@example.com")).toHaveLength(1);
  });
});

test.each(["354 go on", "what is this?"])("a message answered with %j may be accepted", async (reply) => {
  const odd: ScriptedServer = await startScriptedServer((line) => {
    if (line === null) return "220 odd.example ESMTP";
    if (line === ".") return reply;
    if (odd.lines.includes("DATA")) return line === "DATA" ? "354 go on" : null;
    return "250 fine";
  });
  const result = await runJob(mailTo("a@example.com", { config: { smtpPort: odd.port }, secrets: null }));
  await odd.stop();
  expectFailure(result, "outcome_unknown", [reply, "Check whether the message arrived"]);
});

describe("a stopped email job", () => {
  test("before the message is complete sends nothing", async () => {
    const job = await beginJob(mailTo("waitonce@example.com"));
    await eventually("the server knows the recipient", () => server.asked.has("waitonce@example.com"));
    job.cancel();
    const result = await job.result;
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(result.error?.message).toContain("The message was not sent");
    expect(server.mailsTo("waitonce@example.com")).toEqual([]);
  });

  test("while the server has the whole message has an unknown outcome", async () => {
    const result = await runUntilTimeOut(
      mailTo("held@example.com"),
      "the server to have the whole message",
      () => server.mailsTo("held@example.com").length === 1,
    );
    expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
    expect(result.error?.message).toContain("it is not known whether the message was sent");
    expect(server.mailsTo("held@example.com")).toHaveLength(1);
  });

  test("reports a server's answer that arrives late", async () => {
    let answer = (): void => undefined;
    const late: ScriptedServer = await startScriptedServer((line, say) => {
      if (line === null) return "220 late.example ESMTP";
      if (line === "DATA") return "354 go on";
      if (!late.lines.includes("DATA")) return "250 fine";
      if (line === ".") answer = () => say("452 4.3.1 disk is full");
      return null;
    });
    const job = await beginJob(mailTo("a@example.com", { config: { smtpPort: late.port }, secrets: null }));
    await eventually("the final dot", () => late.lines.includes("."));
    job.cancel();
    answer();
    const result = await job.result;
    expect(result).toMatchObject({ status: "cancelled" });
    expect(result.error?.message).toContain("452 4.3.1 disk is full");
    await late.stop();
  });

  test("before a silent server's greeting ends with its connection", async () => {
    const silent = await startScriptedServer(() => null);
    const config = { smtpPort: silent.port };
    const job = await beginJob(mailTo("a@example.com", { config }));
    await eventually("a connection", () => silent.open === 1);
    job.cancel();
    expect((await job.result).status).toBe("cancelled");
    await eventually("the connection to be closed", () => silent.open === 0);
    await silent.stop();
  });
});

describe("a mail server's refusal", () => {
  const refusing = (answers: Record<string, string>) =>
    startScriptedServer((line) => {
      if (line === null) return answers["greeting"] ?? "220 busy.example ESMTP";
      const command = line.split(/[ :]/u)[0] ?? "";
      return answers[command] ?? (command === "EHLO" ? "250-busy.example\r\n250 AUTH PLAIN" : "250 fine");
    });
  test.each([
    [{ AUTH: "454 4.7.0 Temporary authentication failure" }, "authentication_failed", "454 4.7.0"],
    [{ AUTH: "421 4.3.2 shutting down" }, "authentication_failed", "421 4.3.2"],
    [{ AUTH: "235 welcome", MAIL: "451 4.3.0 try later" }, "message_refused", "451 4.3.0"],
    [{ AUTH: "235 welcome", RCPT: "450 4.2.0 come back later" }, "recipients_refused", "450 4.2.0"],
    [{ AUTH: "235 welcome", DATA: "452 4.3.1 disk is full" }, "message_refused", "452 4.3.1"],
    [{ greeting: "421 4.7.0 too many connections" }, "unreachable", "421 4.7.0"],
  ])("%#: %j is temporary, so a retry is suggested", async (answers: Record<string, string>, code, part) => {
    const busy = await refusing(answers);
    const result = await runJob(mailTo("a@example.com", { config: { smtpPort: busy.port } }));
    await busy.stop();
    expectFailure(result, code, [part, "temporary: give the node a retry"]);
    expect(result.error?.message).not.toContain("credential");
  });

  test.each([
    [{ AUTH: "535 5.7.8 wrong" }, "deliver the connection's credential again"],
    [{ AUTH: "235 welcome", MAIL: "550 5.7.1 not you" }, "550 5.7.1"],
    [{ AUTH: "235 welcome", RCPT: "550 5.1.1 no such user" }, "550 5.1.1"],
  ])("with a 5xx code is permanent: %j", async (answers: Record<string, string>, part) => {
    const busy = await refusing(answers);
    const { error } = await runJob(mailTo("a@example.com", { config: { smtpPort: busy.port } }));
    await busy.stop();
    expect(error?.message).toContain(part);
    expect(error?.message).not.toContain("temporary");
  });
});

describe("a mail server without password login", () => {
  test.each([
    ["AUTH XOAUTH2 OAUTHBEARER", "takes OAuth logins only"],
    ["AUTH=XOAUTH2", "takes OAuth logins only"],
    ["AUTH GSSAPI NTLM", "names GSSAPI, NTLM"],
    ["AUTH", "names no kind of login"],
  ])("(%s) does not get the password", async (offer, part) => {
    const server = await startScriptedServer((line) => {
      if (line === null) return "220 oauth.example ESMTP";
      return line.startsWith("EHLO") ? `250-oauth.example\r\n250 ${offer}` : "334 ";
    });
    const config = { smtpPort: server.port };
    const result = await runJob(mailTo("a@example.com", { config }));
    const check = await runJob({ ...mailTo("", { config }), action: null, params: {} });
    await server.stop();
    expectFailure(result, "unsupported_auth", [part]);
    expect(check.output?.["checks"]).toMatchObject([{ ok: true }, { name: "Authentication", ok: false }]);
    expect(server.lines.filter((line) => !/^(EHLO|QUIT)/u.test(line))).toEqual([]);
  });

  test("is not assumed when the server offers a password login among others", async () => {
    const server = await startScriptedServer((line) => {
      if (line === null) return "220 both.example ESMTP";
      if (line.startsWith("EHLO")) return "250-both.example\r\n250 auth xoauth2 login";
      return line === "AUTH LOGIN" ? "334 VXNlcm5hbWU6" : "535 5.7.8 wrong";
    });
    const result = await runJob(mailTo("a@example.com", { config: { smtpPort: server.port } }));
    await server.stop();
    expectFailure(result, "authentication_failed", ["535 5.7.8"]);
  });
});

describe("an unusable mail server", () => {
  test("where nothing listens is unreachable", async () => {
    const config = { smtpPort: await freePort() };
    expectFailure(await runJob(mailTo("a@example.com", { config })), "unreachable", ["refused the connection"]);
  });

  test("that refuses to serve is unreachable", async () => {
    const busy = await startScriptedServer(() => "554 5.3.2 no service for you");
    const config = { smtpPort: busy.port };
    expectFailure(await runJob(mailTo("a@example.com", { config })), "unreachable", ["554", "no service for you"]);
    await busy.stop();
  });

  test("of another protocol is unreachable", async () => {
    const web = await startScriptedServer(() => "HTTP/1.1 400 Bad Request\r\n\r\n");
    const config = { smtpPort: web.port };
    expectFailure(await runJob(mailTo("a@example.com", { config })), "unreachable", ["HTTP/1.1 400"]);
    await web.stop();
  });
});

describe("encryption of a mail session", () => {
  test("is required even when the server offers none", async () => {
    const result = await runJob(mailTo("a@example.com", { config: { useTls: true } }));
    expectFailure(result, "tls_error", ["offers no encryption by STARTTLS"]);
    expect(server.mailsTo("a@example.com")).toEqual([]);
  });

  test("is refused with an untrusted certificate", async () => {
    const secure = await startMailServer(await selfSigned("IP:127.0.0.1"));
    const config = { smtpPort: secure.port, useTls: true };
    expectFailure(await runJob(mailTo("a@example.com", { config })), "tls_error", [
      "self signed",
      "issuer's certificate",
    ]);
    const checks = (await runJob({ ...mailTo("", { config }), action: null, params: {} })).output?.["checks"];
    expect(checks).toMatchObject([
      { name: "TCP connection", ok: true },
      { name: "STARTTLS", ok: false },
    ]);
    expect(secure.mails).toEqual([]);
    await secure.stop();
  });

  test("that the server refuses to begin ends the session without a login", async () => {
    const attacker = await startScriptedServer((line) => {
      if (line === null) return "220 mx.example ESMTP";
      if (line.startsWith("EHLO")) return "250-mx.example\r\n250 STARTTLS";
      return "454 not now";
    });
    const result = await runJob(mailTo("a@example.com", { config: { smtpPort: attacker.port, useTls: true } }));
    expectFailure(result, "tls_error", ["454 not now", "temporary: give the node a retry"]);
    expect(attacker.lines.map((line) => line.split(" ")[0])).toEqual(["EHLO", "STARTTLS"]);
    await attacker.stop();
  });
});

describe("a login without encryption", () => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4")?.address;

  test.skipIf(outside === undefined)("goes to this machine only", async () => {
    const open = await startScriptedServer(answerLogin, "0.0.0.0");
    const config = { smtpHost: outside ?? "", smtpPort: open.port };
    const result = await runJob(mailTo("a@example.com", { config }));
    expectFailure(result, "invalid_config", ["useTls is false", "others in the network"]);
    expect(open.lines.filter((line) => line.startsWith("AUTH"))).toEqual([]);
    await open.stop();
  });

  test("is skipped when the server offers no login", async () => {
    const relay = await startScriptedServer((line) => {
      if (line === null) return "220 relay.example ESMTP";
      return line.startsWith("EHLO") ? "250 relay.example" : "550 not for you";
    });
    const config = { smtpPort: relay.port };
    const check = await runJob({ ...mailTo("", { config }), action: null, params: {} });
    expect(check.output).toMatchObject({ ok: true });
    expect(JSON.stringify(check.output)).toContain("offers no login");
    expectFailure(await runJob(mailTo("a@example.com", { config })), "message_refused", ["550 not for you"]);
    await relay.stop();
  });
});

test("an address with letters beyond ASCII before the @ needs a server with SMTPUTF8", async () => {
  const old: ScriptedServer = await startScriptedServer((line) =>
    line === null ? "220 old.example" : "250 old.example",
  );
  const result = await runJob(mailTo("jörg@example.com", { config: { smtpPort: old.port }, secrets: null }));
  expectFailure(result, "invalid_params", ["SMTPUTF8", "jörg@example.com"]);
  expect(old.lines.filter((line) => line.startsWith("MAIL"))).toEqual([]);
  await old.stop();
});

function answerLogin(line: string | null): string {
  if (line === null) return "220 open.example ESMTP";
  return line.startsWith("EHLO") ? "250-open.example\r\n250 AUTH PLAIN LOGIN" : "235 welcome";
}

function expectFailure(result: JobResult, code: string, parts: readonly string[]): void {
  expect({ status: result.status, code: result.error?.code }).toEqual({ status: "failed", code });
  for (const part of parts) expect(result.error?.message).toContain(part);
}
