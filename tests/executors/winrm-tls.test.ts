import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { selfSigned } from "../support/certificate.ts";
import { failureOf, temporaryState } from "../support/executor-context.ts";
import { winrmCommand, winrmTest } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of WinRM over HTTPS are skipped: ${winrmServerMissing}.`);

describe.skipIf(winrmServerMissing !== null)("a Windows host over HTTPS", () => {
  let certificate: { key: string; cert: string };
  let server: WinrmServer;
  /** Refuses logins without the channel binding of their TLS connection. */
  let strict: WinrmServer;
  let state: Awaited<ReturnType<typeof temporaryState>>;
  beforeAll(async () => {
    state = await temporaryState();
    certificate = await selfSigned("IP:127.0.0.1");
    server = await WinrmServer.start({ tls: certificate });
    strict = await WinrmServer.start({ tls: certificate, requireChannelBinding: true });
  });
  afterAll(async () => {
    await server.stop();
    await strict.stop();
    await state.remove();
  });

  /** The runtime reads NODE_EXTRA_CA_CERTS at its start, so a trusted authority needs a separate process. */
  async function trusting(certificates: string[], host: WinrmServer, job: object): Promise<unknown> {
    const authority = join(state.path, `${crypto.randomUUID()}.pem`);
    await writeFile(authority, certificates.join("\n"));
    const program = `
      const { winrmCommand, winrmTest } = await import(${JSON.stringify(join(import.meta.dir, "../support/winrm-jobs.ts"))});
      const host = { host: "127.0.0.1", port: ${host.port}, password: ${JSON.stringify(host.password)} };
      const job = ${JSON.stringify({ useSsl: true, ...job })};
      const outcome = await winrmCommand(host, "echo in", job);
      const checks = await winrmTest(host, job);
      console.log(JSON.stringify([outcome.error ?? outcome.output.stdout, checks.map(({ name, ok }) => name + " " + ok)]));`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: authority },
      stdio: ["ignore", "pipe", "inherit"],
    });
    return JSON.parse(await new Response(child.stdout).text());
  }

  const good = ["in\n", ["TCP connection true", "TLS true", "WinRM true", "Authentication true"]];

  test("with an untrusted certificate is refused, with advice", async () => {
    const failure = failureOf(await winrmCommand(server, "echo in", { useSsl: true }));
    expect(failure.code).toBe("tls_error");
    for (const part of [`127.0.0.1:${server.port}`, "NODE_EXTRA_CA_CERTS", "always checked"]) {
      expect(failure.message).toContain(part);
    }
    expect(await winrmTest(server, { useSsl: true })).toMatchObject([
      { name: "TCP connection", ok: true },
      { name: "TLS", ok: false },
    ]);
    expect(await server.log()).toEqual([]);
  });

  test("accepts a login by NTLM, without encrypting messages again", async () => {
    expect(await trusting([certificate.cert], server, {})).toEqual(good);
    const messages = (await server.log()).filter(({ message }) => message !== undefined);
    expect(messages.length).toBeGreaterThan(3);
    expect(messages.every(({ encrypted }) => encrypted === false)).toBe(true);
  });

  test("accepts a login by Basic", async () => {
    expect(await trusting([certificate.cert], server, { authMethod: "basic", username: "local" })).toEqual(good);
  });

  test("that requires channel binding accepts the login", async () => {
    expect(await trusting([certificate.cert], strict, {})).toEqual(good);
  });

  test("with a certificate signed by SHA-384 accepts the login, too", async () => {
    const other = await signedWithSha384(state.path);
    const host = await WinrmServer.start({ tls: { ...other, hash: "sha384" }, requireChannelBinding: true });
    const said = await trusting([other.cert], host, {});
    await host.stop();
    expect(said).toEqual(good);
  });

  test("refuses a login that is bound to another certificate", async () => {
    // As when an attacker relays the login over another TLS connection.
    const host = await WinrmServer.start({ tls: { ...certificate, hash: "sha384" }, requireChannelBinding: true });
    const [failure] = z
      .tuple([z.object({ code: z.string() }), z.unknown()])
      .parse(await trusting([certificate.cert], host, {}));
    await host.stop();
    expect(failure.code).toBe("authentication_failed");
  });

  test("on a port without TLS says so", async () => {
    const plain = await WinrmServer.start();
    const failure = failureOf(await winrmCommand(plain, "echo in", { useSsl: true }));
    await plain.stop();
    expect(failure.code).toBe("tls_error");
    expect(failure.message).toContain("5986");
  });
});

async function signedWithSha384(directory: string): Promise<{ key: string; cert: string }> {
  const [key, cert] = [join(directory, "384-key.pem"), join(directory, "384-cert.pem")];
  const kind = ["-newkey", "rsa:2048", "-sha384", "-nodes", "-days", "2", "-subj", "/CN=host7"];
  const files = ["-keyout", key, "-out", cert, "-addext", "subjectAltName=IP:127.0.0.1"];
  const child = Bun.spawn(["openssl", "req", "-x509", ...kind, ...files], { stdio: ["ignore", "ignore", "ignore"] });
  if ((await child.exited) !== 0) throw new Error("openssl made no certificate");
  return { key: await Bun.file(key).text(), cert: await Bun.file(cert).text() };
}
