import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../../support/fake-service.ts";
import { ServiceFront } from "../../support/service-front.ts";
import { WakeServer } from "../../support/wake-server.ts";
import { AgentHome } from "../agent-process.ts";
import { runCommand } from "../command-process.ts";
import { examine } from "./doctor-report.ts";

/** Time for an agent to start and run a job, also on a busy machine. */
const BUSY_MS = 45_000;
const OTHER_KEY = FAKE_AGENT_KEY.replace("bhTestAgent1", "bhTestAgent2");

let service: FakeService;
let front: ServiceFront;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  front = new ServiceFront({ upstream: service.url });
  home = await AgentHome.make();
});
afterEach(async () => {
  await home.remove();
  await front.stop();
  await service.stop();
});

const doctor = (env: Record<string, string> = {}) => examine(home, front.url, env);

describe("doctor's checks of the vault and the journal", () => {
  async function vaultOf(key: string): Promise<void> {
    await runCommand(home, ["credentials", "set", "con_1"], {
      env: { AGENT_API_KEY: key },
      input: '{"password":"x-canary"}',
    });
  }

  test("fail for a vault of another key, and leave the vault in place", async () => {
    await vaultOf(OTHER_KEY);
    const before = await readFile(home.path("vault.json"), "utf8");
    const { failed, of } = await doctor();
    expect(failed).toEqual(["vault"]);
    expect(of("vault")).toContain("belongs to another agent key");
    expect(await readFile(home.path("vault.json"), "utf8")).toBe(before);
  });

  test("name the credentials without a target, with the command that binds one", async () => {
    await vaultOf(FAKE_AGENT_KEY);
    const { failed, of } = await doctor();
    expect(failed).toEqual([]);
    expect(of("vault")).toMatch(
      /^warn .* opens; 1 of 1 credential without a target, which no job can use: con_1\. .*bellhop-agent credentials bind con_1$/u,
    );
  });

  test("report a vault that is damaged or readable by others, and do not change it", async () => {
    await vaultOf(FAKE_AGENT_KEY);
    await chmod(home.path("vault.json"), 0o644);
    expect((await doctor()).of("vault")).toMatch(/^warn .* can be read by others \(mode 0644\)/u);
    expect((await stat(home.path("vault.json"))).mode & 0o777).toBe(0o644);
    await writeFile(home.path("vault.json"), "{");
    const { failed, of } = await doctor();
    expect(failed).toEqual(["vault"]);
    expect(of("vault")).toContain("is not a vault, or is damaged");
  });

  test("report a state directory that is a file, or that is open to others", async () => {
    await writeFile(home.path("file"), "");
    expect((await doctor({ VAULT_PATH: home.path("file/vault.json") })).failed).toContain("state directory");
    expect((await doctor({ VAULT_PATH: home.path("file/vault.json") })).of("state directory")).toContain(
      "file is a file, not a directory",
    );
    await mkdir(home.path("open"), { mode: 0o755 });
    await chmod(home.path("open"), 0o755);
    expect((await doctor({ VAULT_PATH: home.path("open/vault.json") })).of("state directory")).toMatch(
      /^warn .* is open to other users \(mode 0755\)/u,
    );
  });

  test.skipIf(process.platform !== "linux")("give the cause when no user can create the state directory", async () => {
    const { of, failed } = await doctor({ VAULT_PATH: "/proc/x/vault.json" });
    expect(failed).toEqual(["state directory"]);
    expect(of("state directory")).toBe(
      "fail /proc/x cannot be made: /proc is a file system of the kernel, which holds no files of programs. " +
        "let VAULT_PATH name a file in a directory that the agent's user may write to",
    );
    expect(of("disk")).toStartWith("skip");
  });

  test("count the waiting results and the interrupted jobs", async () => {
    const agent = await home.start(front.url);
    service.fault("results", "hang");
    service.enqueue({ params: { script: "true" } });
    service.enqueue({ params: { script: "sleep 1000" } });
    await eventually("the result on its way", () => service.callsTo("results").length > 0, BUSY_MS);
    const journal = async () => (await home.text("vault.journal")).split('"began"');
    await eventually("the second job", async () => (await journal()).length === 3, BUSY_MS);
    agent.kill("SIGKILL");
    await agent.exited;
    const { of, code } = await doctor();
    expect(code).toBe(0);
    expect(of("journal")).toMatch(
      /^warn .*1 result waits to be reported, 1 begun by an agent that has ended\. start the agent: /u,
    );
    expect(of("agent")).toStartWith("warn no agent runs on this vault. start it: ");
  });
});

test("doctor says since when the running agent's wake socket is open, and reports WAKE_SOCKET=off as ok", async () => {
  const wake = new WakeServer({ service });
  const agent = await home.start(wake.url);
  await eventually("the wake socket", () => agent.log().includes("the wake socket is open"), BUSY_MS);
  const open = /^ok open since 2\S+: the service announces each job/u;
  expect((await doctor()).of("wake socket")).toMatch(open);
  const seldom = /, and an idle agent polls every 60 s$/u;
  await eventually("the longer wait", async () => seldom.test((await doctor()).of("wake socket")));
  agent.kill("SIGTERM");
  await agent.exited;
  expect((await doctor({ WAKE_SOCKET: "off" })).of("wake socket")).toStartWith("ok turned off by WAKE_SOCKET");
  await wake.stop();
});

test("doctor fails for an ADMIN_PORT that another program uses, with advice", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const { failed, of } = await doctor({ ADMIN_PORT: String(port) });
  expect(failed).toEqual(["admin port"]);
  expect(of("admin port")).toContain(`127.0.0.1:${port} is taken by another program. set ADMIN_PORT to a free port`);
  await new Promise((resolve) => other.close(resolve));
});

test("doctor names the actions that cannot run on a host without interpreters", async () => {
  const { of, code } = await doctor({ PATH: "/nowhere" });
  expect(code).toBe(0);
  expect(of("bash")).toMatch(/^warn Not installed. script\.bash cannot run here/u);
  expect(of("python")).toStartWith("skip Not installed");
});
