import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { failureOf, runAction, runTest, type TestJob } from "../support/executor-context.ts";
import { freePort } from "../support/free-port.ts";
import { makeKey, makeKeys, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing, sshdPasswordMissing } from "../support/sshd.ts";

if (sshdPasswordMissing !== null) console.warn(`Tests of SSH logins are skipped: ${sshdPasswordMissing}.`);

const PPK = "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: key\n";

describe.skipIf(sshdMissing !== null)("an SSH login", () => {
  let sshd: Sshd;
  let keys: TestKey[];
  beforeAll(async () => {
    [sshd, keys] = await Promise.all([Sshd.start(), makeKeys()]);
    for (const key of keys) await sshd.authorize(key.publicKey);
  });
  afterAll(() => sshd.stop());

  function login(
    secrets: Record<string, string> | null,
    config: Record<string, string | number> = {},
  ): Promise<Awaited<ReturnType<typeof runAction>>> {
    return runAction("ssh", "ssh.executeCommand", job(secrets, config));
  }

  function job(secrets: Record<string, string> | null, config: Record<string, string | number>): TestJob {
    const authMethod = secrets !== null && "password" in secrets ? "password" : "privateKey";
    return {
      config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod, ...config },
      secrets,
      params: { command: "echo in" },
    };
  }

  const loggedIn = { status: "succeeded", output: { stdout: "in\n", stderr: "", exitCode: 0 } } as const;

  function key(name: string): TestKey {
    const found = keys.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no key ${name}`);
    return found;
  }

  test.skipIf(sshdPasswordMissing !== null)("by password works", async () => {
    expect(await login({ password: sshd.password })).toEqual(loggedIn);
  });

  test.skipIf(sshdPasswordMissing !== null)("by a wrong password is authentication_failed", async () => {
    const { code, message } = failureOf(await login({ password: "wrong" }));
    expect(code).toBe("authentication_failed");
    expect(message).toContain(sshd.username);
    expect(message).not.toContain("wrong");
  });

  test("by private key works with every key format", async () => {
    for (const { name, privateKey, passphrase } of keys) {
      const secrets: Record<string, string> = passphrase === undefined ? { privateKey } : { privateKey, passphrase };
      expect({ name, outcome: await login(secrets) }).toEqual({ name, outcome: loggedIn });
    }
  });

  test("by a key whose line breaks were changed works", async () => {
    const { privateKey } = key("Ed25519, OpenSSH");
    for (const text of [
      privateKey.replaceAll("\n", "\r\n"),
      privateKey.trim(),
      `\n  ${privateKey}`,
      privateKey.replaceAll("\n", "\\n"),
    ]) {
      expect(await login({ privateKey: text })).toEqual(loggedIn);
    }
  });

  test("by an encrypted key needs its passphrase, and says so", async () => {
    for (const { name, privateKey } of keys.filter(({ passphrase }) => passphrase !== undefined)) {
      const missing = failureOf(await login({ privateKey }));
      expect({ name, ...missing }).toMatchObject({ name, code: "invalid_credential" });
      expect(missing.message).toContain("no passphrase was delivered");
      const wrong = failureOf(await login({ privateKey, passphrase: "not this one" }));
      expect({ name, ...wrong }).toMatchObject({ name, code: "invalid_credential" });
      expect(wrong.message).toContain("does not open it");
    }
  });

  test("by another user's key is authentication_failed", async () => {
    const otherKey = await makeKey();
    const { code, message } = failureOf(await login({ privateKey: otherKey.privateKey }));
    expect(code).toBe("authentication_failed");
    expect(message).toContain("authorized_keys");
  });

  test("by an invalid private key fails with advice", async () => {
    const cases: [string, string][] = [
      [PPK, "puttygen"],
      [key("Ed25519, OpenSSH").publicKey, "public key"],
      ["just some text", "-----BEGIN"],
      ["-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "cannot be used"],
      ["-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "cannot be used"],
    ];
    for (const [privateKey, advice] of cases) {
      const { code, message } = failureOf(await login({ privateKey }));
      expect(code).toBe("invalid_credential");
      expect(message).toContain(advice);
    }
  });

  test("without a credential, or with one of the other kind, says what is missing", async () => {
    const none = failureOf(await login(null, { authMethod: "password" }));
    expect(none).toMatchObject({ code: "credential_missing" });
    const other = failureOf(await login({ password: "x" }, { authMethod: "privateKey" }));
    expect(other.code).toBe("credential_missing");
    expect(other.message).toContain("privateKey");
  });

  test("to a port where nothing listens is unreachable", async () => {
    const { code, message } = failureOf(await login({ password: "x" }, { port: await freePort() }));
    expect(code).toBe("unreachable");
    expect(message).toContain("refused the connection");
  });

  test("to a name that does not resolve is unreachable", async () => {
    const { code, message } = failureOf(await login({ password: "x" }, { host: "no-such-host.invalid" }));
    expect(code).toBe("unreachable");
    expect(message).toContain("does not resolve");
  });

  test("to a server that is not SSH is unreachable", async () => {
    const server = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const { code, message } = failureOf(await login({ password: "x" }, { port }));
    server.close();
    expect(code).toBe("unreachable");
    expect(message).toContain("SSH");
  });

  test("to a silent server ends with the job", async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const silent = { ...job({ password: "x" }, { port }), timeoutMs: 300 };
    const { code, message } = failureOf(await runAction("ssh", "ssh.executeCommand", silent));
    const ended = await runAction("ssh", "ssh.executeCommand", {
      ...silent,
      timeoutMs: 60_000,
      signal: AbortSignal.timeout(100),
    });
    server.close();
    expect(code).toBe("unreachable");
    expect(message).toContain("0.3 s");
    expect(failureOf(ended).code).toBe("job_ended");
  });

  test("is tested in three steps, up to the first failure", async () => {
    const { privateKey } = key("Ed25519, OpenSSH");
    const names = ["TCP connection", "SSH handshake", "Authentication"];
    const good = await runTest("ssh", job({ privateKey }, {}));
    expect(good.map(({ name, ok }) => [name, ok])).toEqual(names.map((name) => [name, true]));
    expect(good[1]?.detail).toContain(await sshd.fingerprint("ed25519"));
    const refused = await runTest("ssh", job({ privateKey }, { port: await freePort() }));
    expect(refused.map(({ name, ok }) => [name, ok])).toEqual([["TCP connection", false]]);
    const unpinned = await runTest("ssh", job({ privateKey }, { hostKeyFingerprint: `SHA256:${"A".repeat(43)}` }));
    expect(unpinned.map(({ name, ok }) => [name, ok])).toEqual([
      ["TCP connection", true],
      ["SSH handshake", false],
    ]);
    const unusable: (Record<string, string> | null)[] = [{ password: "wrong" }, { privateKey: PPK }, null];
    for (const secrets of unusable) {
      const checks = await runTest("ssh", job(secrets, {}));
      expect(checks.map(({ name, ok }) => [name, ok])).toEqual(names.map((name) => [name, name !== "Authentication"]));
    }
  });
});

describe.skipIf(sshdPasswordMissing !== null)(
  "an SSH server that asks for the password by keyboard-interactive",
  () => {
    test("gets the password", async () => {
      const sshd = await Sshd.start({
        config: ["UsePAM yes", "PasswordAuthentication no", "KbdInteractiveAuthentication yes"],
      });
      try {
        const outcome = await runAction("ssh", "ssh.executeCommand", {
          config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "password" },
          secrets: { password: sshd.password },
          params: { command: "echo in" },
        });
        expect(outcome.status).toBe("succeeded");
      } finally {
        await sshd.stop();
      }
    });
  },
);
