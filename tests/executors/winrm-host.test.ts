import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import { HostConnection } from "../../agent/executors/winrm/connection.ts";
import { createShell, envelope, IDENTIFY, runCommand } from "../../agent/executors/winrm/envelopes.ts";
import { WsmanSession } from "../../agent/executors/winrm/session.ts";
import { openShell } from "../../agent/executors/winrm/shell.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

/** The tests' host refuses what Windows refuses, so a wrong client cannot pass these tests. */
describe.skipIf(winrmServerMissing !== null)("the tests' WinRM host refuses", () => {
  let server: WinrmServer;
  /** Accepts Basic and plain messages, so that a test can make a single part of them wrong. */
  let lax: WinrmServer;
  beforeAll(async () => {
    [server, lax] = await Promise.all([WinrmServer.start(), WinrmServer.start({ allowUnencrypted: true })]);
  });
  afterAll(async () => {
    await server.stop();
    await lax.stop();
  });

  const signal = new AbortController().signal;
  const options = { timeoutMs: 5_000, signal };
  const placeOf = ({ host, port }: WinrmServer) => ({ host, port, useSsl: false });
  const to = (host: WinrmServer): string => `http://127.0.0.1:${host.port}/wsman`;

  async function post(message: string, headers: Record<string, string> = {}, path = "/wsman") {
    const basic = Buffer.from(`local:${lax.password}`).toString("base64");
    const response = await fetch(`http://127.0.0.1:${lax.port}${path}`, {
      method: "POST",
      headers: { "content-type": "application/soap+xml;charset=UTF-8", authorization: `Basic ${basic}`, ...headers },
      body: message,
      // The host closes the connection of a refused request; the next request must not use that connection.
      keepalive: false,
    });
    return { status: response.status, text: await response.text() };
  }

  const create = (id: string = crypto.randomUUID()): string => envelope(createShell({}, 60), to(lax), id);

  test("no valid message", async () => {
    expect((await post(create())).status).toBe(200);
    expect((await post(IDENTIFY, { wsmanidentify: "unauthenticated" }, "/wsman-anon/identify")).status).toBe(200);
  });

  test("a message without a login or with a wrong one", async () => {
    for (const authorization of ["", "Basic eDp5", "Negotiate eDp5", "Bearer x"]) {
      expect((await post(create(), { authorization })).status).toBe(401);
    }
  });

  test.each([
    ["another path", () => post(create(), {}, "/wsman/other"), 404],
    ["another content type", () => post(create(), { "content-type": "text/xml" }), 415],
    ["an identify request without its header", () => post(IDENTIFY, {}, "/wsman-anon/identify"), 401],
  ])("%s", async (_, send, status) => {
    expect((await send()).status).toBe(status);
  });

  test.each([
    ["another action", "transfer/Create<", "transfer/Put<", "ActionNotSupported"],
    [
      "an action in another namespace",
      "/ws/2004/09/transfer/Create<",
      "/ws/2005/09/transfer/Create<",
      "ActionNotSupported",
    ],
    ["another resource", "windows/shell/cmd<", "windows/shell/other<", "DestinationUnreachable"],
    ["an unknown option", "WINRS_NOPROFILE", "WINRS_PROFILE", "InvalidOptions"],
    ["an unknown code page", "65001", "65002", "InvalidOptions"],
    ["a header without a message id", /<a:MessageID>.*<\/a:MessageID>/u, "", "SchemaValidationError"],
    ["a header without a size limit", /<w:MaxEnvelopeSize.*<\/w:MaxEnvelopeSize>/u, "", "SchemaValidationError"],
    ["an unknown header", "<a:To>", "<a:Other/><a:To>", "SchemaValidationError"],
    ["an answer to another address", "role/anonymous", "role/other", "SchemaValidationError"],
    ["an unknown element of a shell", "<rsp:InputStreams>", "<rsp:Other/><rsp:InputStreams>", "SchemaValidationError"],
    ["another stream", "stdout stderr", "stdout", "SchemaValidationError"],
    ["an invalid time", "PT60.000S", "60", "SchemaValidationError"],
    ["another namespace of SOAP", "2003/05/soap-envelope", "2001/05/soap-envelope", "SchemaValidationError"],
    ["a document type", "<s:Envelope", "<!DOCTYPE a><s:Envelope", "SchemaValidationError"],
    ["elements that do not match", "</s:Body>", "", "SchemaValidationError"],
  ])("%s", async (_, what, instead, subcode) => {
    const message = create();
    const wrong = message.replace(what, instead);
    expect(wrong).not.toBe(message);
    const { status, text } = await post(wrong);
    expect(status).toBe(500);
    expect(text).toContain(`w:${subcode}<`);
  });

  test("a reused message id", async () => {
    const message = create();
    expect((await post(message)).status).toBe(200);
    expect((await post(message)).text).toContain("InvalidMessageInformationHeader");
  });

  test("an unknown shell, and another account's shell", async () => {
    const session = await WsmanSession.open(
      placeOf(lax),
      { method: "ntlm", username: "CORP\\ops", password: lax.password },
      options,
    );
    const shellId = await openShell(session, {});
    session.close();
    for (const id of [shellId, crypto.randomUUID()]) {
      const { text } = await post(envelope(runCommand(id, "echo a"), to(lax), crypto.randomUUID()));
      expect(text).toContain("InvalidSelectors");
    }
  });

  test("plain messages over HTTP after a login that supports encryption", async () => {
    const login = { method: "ntlm", username: "CORP\\ops", password: server.password } as const;
    const connection = await HostConnection.open(placeOf(server), options);
    await WsmanSession.on(connection, login, options);
    const answer = await connection.post({
      path: "/wsman",
      headers: { "content-type": "application/soap+xml;charset=UTF-8" },
      body: Buffer.from(create()),
      timeoutMs: 5_000,
    });
    connection.close();
    expect(answer.status).toBe(500);
    expect((await server.log()).at(-1)?.refused).toContain("unencrypted");
  });

  test("a login of one connection on another connection", async () => {
    const login = { method: "ntlm", username: "CORP\\ops", password: server.password } as const;
    const session = await WsmanSession.open(placeOf(server), login, options);
    const other = await HostConnection.open(placeOf(server), options);
    const answer = await other.post({ path: "/wsman", headers: {}, body: Buffer.from("x"), timeoutMs: 5_000 });
    other.close();
    expect(answer.status).toBe(401);
    expect(await session.identify()).toContain("Microsoft");
    session.close();
  });

  test("other methods, and bodies without a length", async () => {
    expect((await fetch(to(lax))).status).toBe(405);
    const status = await new Promise((resolve) => {
      const sent = request(to(lax), { method: "POST" }, (response) => resolve(response.statusCode));
      sent.write("a");
      sent.end("b");
    });
    expect(status).toBe(411);
  });
});
