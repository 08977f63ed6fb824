import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPeer } from "../support/debian-peer.ts";
import { elementOf, readXml } from "../../agent/executors/winrm/xml.ts";
import { selfSigned } from "../support/certificate.ts";
import { winrmCommand, winrmScript } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

const missing = winrmServerMissing ?? debianPeer("/usr/lib/python3/dist-packages/winrm/__init__.py", "python3-winrm");
if (missing !== null) console.warn(`Tests of the WinRM host with a second client are skipped: ${missing}.`);

/** Its NTLM needs MD4, which OpenSSL 3 has in its legacy provider only. */
const LEGACY =
  "openssl_conf = conf\n[conf]\nproviders = providers\n[providers]\ndefault = on\nlegacy = on\n[on]\nactivate = 1\n";

/** pywinrm is independent of this project: if both clients speak alike with the host, the host speaks WinRM. */
describe.skipIf(missing !== null)("the tests' WinRM host and pywinrm", () => {
  let server: WinrmServer;
  let lax: WinrmServer;
  let secure: WinrmServer;
  beforeAll(async () => {
    const certificate = await selfSigned("IP:127.0.0.1");
    [server, lax, secure] = await Promise.all([
      WinrmServer.start(),
      WinrmServer.start({ allowUnencrypted: true }),
      WinrmServer.start({ tls: certificate }),
    ]);
  });
  afterAll(async () => {
    for (const host of [server, lax, secure]) await host.stop();
  });

  async function secondClient(host: WinrmServer, transport: string, username: string, password = host.password) {
    const url = `${host === secure ? "https" : "http"}://127.0.0.1:${host.port}/wsman`;
    const program = join(import.meta.dir, "../support/winrm-second-client.py");
    const trust = host === secure ? [join(host.directory, "cert.pem")] : [];
    const legacy = join(host.directory, "openssl.cnf");
    await writeFile(legacy, LEGACY);
    const child = Bun.spawn(["/usr/bin/python3", "-B", program, url, transport, username, password, ...trust], {
      env: { PATH: "/usr/bin:/bin", OPENSSL_CONF: legacy },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [said, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    return { code: await child.exited, said, errors };
  }

  const answers = [
    { stdout: "héllo\n", stderr: "bad\n", exitCode: 3 },
    { stdout: "it is 42\n", stderr: "wrong", exitCode: 4 },
    { stdout: 300_000, stderr: "", exitCode: 0 },
  ];

  test("exchange encrypted messages by NTLM", async () => {
    const { said, errors } = await secondClient(server, "ntlm", "CORP\\ops");
    expect(errors).toBe("");
    expect(JSON.parse(said)).toEqual(answers);
    expect((await server.log()).filter(({ message }) => message !== undefined).every((e) => e.encrypted === true)).toBe(
      true,
    );
  });

  test("work by Basic where it is allowed", async () => {
    const { said, errors } = await secondClient(lax, "basic", "local");
    expect(errors).toBe("");
    expect(JSON.parse(said)).toEqual(answers);
  });

  test("work over HTTPS by NTLM, with channel binding", async () => {
    const { said, errors } = await secondClient(secure, "ntlm", "CORP\\ops");
    expect(errors).toBe("");
    expect(JSON.parse(said)).toEqual(answers);
  });

  test("refuse wrong passwords", async () => {
    for (const [host, transport, username] of [
      [server, "ntlm", "CORP\\ops"],
      [lax, "basic", "local"],
    ] as const) {
      const { code, errors } = await secondClient(host, transport, username, "wrong");
      expect(code).toBe(1);
      expect(errors).toContain("the specified credentials were rejected by the server");
    }
  });

  test("use the same actions and headers as the agent", async () => {
    const host = await WinrmServer.start();
    await secondClient(host, "ntlm", "CORP\\ops");
    const theirs = await spoken(host);
    const before = (await host.log()).length;
    await winrmCommand(host, "echo a");
    await winrmScript(host, `: ${"x".repeat(5_000)}`, { values: { A: "b" } });
    const ours = await spoken(host, before);
    await host.stop();
    // pywinrm ends a command with Signal, where the agent deletes the shell. It sends no standard input here.
    expect([...theirs.keys()].sort()).toEqual(["Command", "Create", "Delete", "Receive", "Signal"]);
    expect([...ours.keys()].sort()).toEqual(["Command", "Create", "Delete", "Receive", "Send"]);
    for (const action of ["Create", "Command", "Receive", "Delete"]) {
      expect({ [action]: ours.get(action) }).toEqual({ [action]: theirs.get(action) });
    }
  });
});

interface Spoken {
  header: string[];
  options: string[];
  body: string[];
  http: boolean;
}

/**
 * For each action: the elements of its header, its options, the elements of its body, and whether it has the important
 * HTTP headers.
 */
async function spoken(host: WinrmServer, from = 0): Promise<Map<string, Spoken>> {
  const found = new Map<string, Spoken>();
  for (const { message, headers = [] } of (await host.log()).slice(from)) {
    if (message === undefined) continue;
    const root = readXml(message);
    const [header, body] = root.children;
    if (header === undefined || body === undefined) throw new Error("not an envelope");
    const action = elementOf(header, "Action")?.text.split("/").at(-1) ?? "";
    found.set(action, {
      header: header.children.map(({ name }) => name).sort(),
      options: (elementOf(header, "OptionSet")?.children ?? []).map((option) => option.attributes["Name"] ?? ""),
      body: body.children.map(({ name }) => name),
      http: ["content-type", "content-length", "host"].every((name) => headers.includes(name)),
    });
  }
  return found;
}
