import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import { failureOf, outputOf, runAction, runTest } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { winrmCommand, winrmJob, winrmTest } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of WinRM logins are skipped: ${winrmServerMissing}.`);

describe.skipIf(winrmServerMissing !== null)("a login to a Windows host", () => {
  let server: WinrmServer;
  /** Accepts Basic and plain messages over HTTP, which hosts refuse by default. */
  let lax: WinrmServer;
  beforeAll(async () => {
    [server, lax] = await Promise.all([
      WinrmServer.start({ withoutRights: ["corp\\ops"] }),
      WinrmServer.start({ allowUnencrypted: true, anonymousIdentify: false }),
    ]);
  });
  afterAll(async () => {
    await server.stop();
    await lax.stop();
  });

  test.each([
    ["the machine's own account", ".\\local"],
    ["an account with the machine's name", "HOST7\\local"],
    ["a name without a domain", "local"],
    ["a user principal name", "ops@corp.example"],
  ])("by NTLM works with %s", async (_, username) => {
    expect(outputOf(await winrmCommand(server, "echo in", { username }))).toMatchObject({ stdout: "in\n" });
  });

  test("by NTLM works with a domain account", async () => {
    expect(outputOf(await winrmCommand(lax, "echo in"))).toMatchObject({ stdout: "in\n" });
  });

  test.each([["local"], [".\\local"]])("by Basic works for %s if the host allows it", async (username) => {
    const outcome = await winrmCommand(lax, "echo in", { authMethod: "basic", username });
    expect(outputOf(outcome)).toMatchObject({ stdout: "in\n" });
  });

  test.each(["ntlm", "basic"])("by %s with a wrong password gives advice, without the password", async (method) => {
    const job = { authMethod: method, username: ".\\local", password: "wrong-password-1" };
    const failure = failureOf(await winrmCommand(lax, "echo in", job));
    expect(failure.code).toBe("authentication_failed");
    for (const part of [String(lax.port), ".\\local", "LocalAccountTokenFilterPolicy", "Remote Management Users"]) {
      expect(failure.message).toContain(part);
    }
    expect(failure.message).not.toContain("wrong-password");
  });

  test("of an unknown user fails", async () => {
    expect(failureOf(await winrmCommand(server, "echo in", { username: "CORP\\unknown" })).code).toBe(
      "authentication_failed",
    );
  });

  test("by Basic to a host without Basic names the host's methods", async () => {
    const failure = failureOf(await winrmCommand(server, "echo in", { authMethod: "basic", username: "local" }));
    expect(failure.code).toBe("authentication_failed");
    expect(failure.message).toContain("does not offer Basic authentication, only Negotiate");
    expect(failure.message).toContain("Choose ntlm");
  });

  test("by NTLM to a host without NTLM names the host's methods", async () => {
    const basic = await WinrmServer.start({ allowUnencrypted: true, auth: { Negotiate: false } });
    const failure = failureOf(await winrmCommand(basic, "echo in"));
    await basic.stop();
    expect(failure.code).toBe("authentication_failed");
    expect(failure.message).toContain("does not offer Negotiate authentication, only Basic");
  });

  test("of an account that may not create a shell names the missing rights", async () => {
    const failure = failureOf(await winrmCommand(server, "echo in"));
    expect(failure.code).toBe("permission_denied");
    for (const part of ["Access is denied", "WSManFault 5", "Remote Management Users"])
      expect(failure.message).toContain(part);
  });

  test("by Kerberos is refused, with an alternative", async () => {
    const failure = failureOf(await winrmCommand(server, "echo in", { authMethod: "kerberos" }));
    expect(failure.code).toBe("unsupported_auth");
    expect(failure.message).toContain("ntlm");
  });

  test.each([
    [null, "credential_missing", "no credential"],
    [{ password: "x" }, "invalid_credential", "it has: password"],
  ])("with the secrets %p asks for the missing ones", async (secrets, code, excerpt) => {
    const failure = failureOf(
      await runAction("winrm", "winrm.executeCommand", {
        ...winrmJob(server, {}),
        secrets,
        params: { command: "echo in" },
      }),
    );
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(excerpt);
  });

  test("by Basic with a colon in the user name is refused before anything is sent", async () => {
    const failure = failureOf(await winrmCommand(lax, "echo in", { authMethod: "basic", username: "a:b" }));
    expect(failure.code).toBe("invalid_credential");
  });

  describe("in a connection's test", () => {
    test("has named steps, with the host's version", async () => {
      const checks = await winrmTest(server, { username: ".\\local" });
      expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
        ["TCP connection", true],
        ["WinRM", true],
        ["Authentication", true],
      ]);
      expect(checks[1]?.detail).toContain("Stack: 3.0");
      expect(checks[2]?.detail).toContain("OS: 10.0.20348");
      expect((await server.actions()).slice(-2)).toEqual(["Create", "Delete"]);
    });

    test("works with a host that says nothing before a login", async () => {
      const checks = await winrmTest(lax);
      expect(checks.map(({ ok }) => ok)).toEqual([true, true, true]);
      expect(checks[1]?.detail).toContain("requires a login first");
    });

    test("by Basic in plain works if the host allows it", async () => {
      const checks = await winrmTest(lax, { authMethod: "basic", username: "local" });
      expect(checks.at(-1)).toMatchObject({ name: "Authentication", ok: true });
    });

    test("ends at the first failing step", async () => {
      const denied = await winrmTest(server);
      expect(denied.at(-1)).toMatchObject({ name: "Authentication", ok: false });
      expect(denied.at(-1)?.detail).toContain("Access is denied");
      const wrong = await winrmTest(server, { password: "wrong-password-1" });
      expect(wrong.map(({ name, ok }) => [name, ok])).toEqual([
        ["TCP connection", true],
        ["WinRM", true],
        ["Authentication", false],
      ]);
      const kerberos = await winrmTest(server, { authMethod: "kerberos" });
      expect(kerberos.at(-1)).toMatchObject({ name: "Authentication", ok: false });
      expect(kerberos.at(-1)?.detail).toContain("cannot log in by Kerberos");
      const closed = await winrmTest(server, { port: await freePort() });
      expect(closed).toMatchObject([{ name: "TCP connection", ok: false }]);
    });

    test("without a credential ends at the authentication step", async () => {
      const checks = await runTest("winrm", { ...winrmJob(server, {}), secrets: null });
      expect(checks.at(-1)).toMatchObject({ name: "Authentication", ok: false });
      expect(checks.at(-1)?.detail).toContain("Deliver username and password");
    });
  });
});

describe("a port that is not WinRM's", () => {
  async function answered(status: number, body = "", headers: Record<string, string> = {}) {
    const other = createServer((_, response) => response.writeHead(status, headers).end(body));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const address = other.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const job = {
      config: { host: "127.0.0.1", port, useSsl: false, authMethod: "basic" },
      secrets: { username: "local", password: "secret" },
    };

    const failure = failureOf(
      await runAction("winrm", "winrm.executeCommand", { ...job, params: { command: "echo a" } }),
    );
    const checks = await runTest("winrm", job);
    other.close();
    return { failure, checks };
  }

  test.each([
    [404, "", {}, "invalid_response", "Enable-PSRemoting"],
    [200, "<html></html>", { "content-type": "text/html" }, "http_status", "without a message of WinRM"],
    [200, "<a><b></a>", { "content-type": "text/xml" }, "invalid_response", "do not fit together"],
    [500, "", {}, "http_status", "use ntlm, or HTTPS"],
    [200, "x".repeat(1_200_000), { "content-type": "application/soap+xml" }, "invalid_response", "much larger"],
  ])("gets a specific error when it answers %d", async (status, body, headers, code, excerpt) => {
    const { failure, checks } = await answered(status, body, headers);
    expect(failure.code).toBe(code);
    expect(failure.message).toContain(excerpt);
    expect(checks.at(-1)).toMatchObject({ name: "WinRM", ok: false });
  });
});
