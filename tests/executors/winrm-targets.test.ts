import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { selfSigned } from "../support/certificate.ts";
import { temporaryState } from "../support/executor-context.ts";
import { TrustingAgent } from "../support/trusting-agent.ts";
import { WinrmServer, winrmServerMissing } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of WinRM with several hosts are skipped: ${winrmServerMissing}.`);

describe.skipIf(winrmServerMissing !== null)("a WinRM connection to several hosts", () => {
  let servers: WinrmServer[];
  let agent: TrustingAgent;
  let state: Awaited<ReturnType<typeof temporaryState>>;
  beforeAll(async () => {
    const [known, stranger] = [await selfSigned("IP:127.0.0.1"), await selfSigned("IP:127.0.0.1")];
    servers = await Promise.all([known, known, stranger].map((tls) => WinrmServer.start({ tls })));
    state = await temporaryState();
    const authority = join(state.path, "authority.pem");
    await writeFile(authority, known.cert);
    agent = new TrustingAgent(authority);
  });
  afterAll(async () => {
    await agent.stop();
    await Promise.all(servers.map((server) => server.stop()));
    await state.remove();
  });

  const logins = () =>
    Promise.all(servers.map(async (server) => (await server.log()).filter(({ login }) => login !== undefined).length));
  const run = (server: WinrmServer | undefined) =>
    agent.run({
      type: "winrm",
      config: {
        targets: servers.map(({ host, port }) => `${host}:${port}`),
        port: 5986,
        useSsl: true,
        authMethod: "ntlm",
      },
      secrets: { username: "CORP\\ops", password: server?.password ?? "" },
      target: `${server?.host}:${server?.port}`,
      action: "winrm.executeCommand",
      params: { command: "echo in" },
    });

  test("logs in to the host that the job names, and checks the certificate of every host", async () => {
    expect(await run(servers[0])).toMatchObject({ status: "succeeded" });
    const [first = 0, ...others] = await logins();
    expect([first > 0, ...others]).toEqual([true, 0, 0]);
    expect(await run(servers[1])).toMatchObject({ status: "succeeded" });
    expect((await run(servers[2])).error?.code).toBe("tls_error");
    const [same, second = 0, stranger] = await logins();
    expect([same, second > 0, stranger]).toEqual([first, true, 0]);
  });
});
