import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { Wine, wineMissing } from "../support/wine.ts";

/** Wine's first process takes long, and longer on a busy machine. */
const START_MS = 120_000;

describe.skipIf(wineMissing !== null)(`the Windows executable under Wine ${wineMissing ?? ""}`, () => {
  let wine: Wine;
  let service: FakeService;
  beforeAll(async () => {
    service = await FakeService.start();
    wine = await Wine.start();
    const lines = [
      "# Windows' line ends, and backslashes",
      `AGENT_API_URL=${service.url}`,
      `AGENT_API_KEY=${FAKE_AGENT_KEY}`,
      "AGENT_NAME=win 1",
      "VAULT_PATH=C:\\bellhop\\vault.json",
      "ADMIN_PORT=0",
      "POLL_INTERVAL=0.1",
      "HEARTBEAT_INTERVAL=1",
    ];
    await writeFile(wine.path("bellhop/agent.env"), lines.join("\r\n"));
  }, 300_000);
  afterAll(async () => {
    await wine.stop();
    await service.stop();
    expect(service.violations).toEqual([]);
  });

  const start = () =>
    wine.startAgent(["run", "--env-file", "C:\\bellhop\\agent.env", "--log-file", "C:\\bellhop\\agent.log"]);
  const log = () => readFile(wine.path("bellhop/agent.log"), "utf8").catch(() => "");
  const registered = (count: number) =>
    eventually("the registration", () => service.registrations.length === count, START_MS);

  test(
    "registers, polls, runs cmd.exe, reports, and keeps its credentials after a restart",
    async () => {
      const first = start();
      await registered(1);
      expect(service.registrations[0]).toMatchObject({ name: "win 1", os: "windows", arch: "x64" });
      // Wine has whoami and icacls, but no access control lists.
      expect(await log()).not.toContain("may be able to enter");

      const script = "echo hello %WHO%\r\necho problem 1>&2\r\nexit /b 3\r\n";
      const { id } = service.enqueue({ action: "script.powershell", params: { script }, values: { WHO: "world" } });
      await eventually("the result", () => service.resultsOf(id).length === 1, START_MS);
      expect(service.resultsOf(id)[0]).toMatchObject({ status: "failed", ack: "accepted", output: { exitCode: 3 } });
      expect(service.resultsOf(id)[0]?.output?.["stdout"]).toContain("hello world");
      expect(service.resultsOf(id)[0]?.output?.["stderr"]).toContain("problem");

      const env = { VAULT_PATH: "C:\\bellhop\\vault.json" };
      const set = ["credentials", "set", "con_1", "--target", '[{"type":"custom","fields":{}}]'];
      const stored = await wine.agent(set, { env, input: '{"TOKEN":"canary-windows-1"}' });
      expect(stored).toMatchObject({ code: 0, stderr: "" });
      await eventually("the heartbeat with the credential", () => service.heartbeats.at(-1)?.credentials.length === 1);
      first.kill();
      await first.exited;
      expect(await readFile(wine.path("bellhop/vault.json"), "utf8")).not.toContain("canary");

      start();
      await registered(2);
      const listed = await wine.agent(["credentials", "list"], { env });
      expect(listed.stdout).toContain("con_1");
      const custom = { id: "con_1", type: "custom" as const, config: { fields: {} } };
      const second = service.enqueue({
        action: "script.powershell",
        connection: custom,
        params: { script: 'if "%TOKEN%"=="canary-windows-1" echo it is %TOKEN%\r\n' },
      });
      await eventually("the second result", () => service.resultsOf(second.id).length === 1, START_MS);
      expect(service.resultsOf(second.id)[0]).toMatchObject({ status: "succeeded", error: null });
      expect(service.resultsOf(second.id)[0]?.output?.["stdout"]).toContain("it is ***");
      expect(await log()).not.toContain("canary");
    },
    5 * START_MS,
  );

  test(
    "has a doctor and a dry run of service that know Windows",
    async () => {
      const doctor = await wine.agent(["doctor", "--env-file", "C:\\bellhop\\agent.env"]);
      expect(doctor.stdout).toMatch(/^ok +system +bellhop-agent .* for win32 x64/mu);
      expect(doctor.stdout).toMatch(/^ok +key +the service accepts AGENT_API_KEY\.$/mu);
      const env = { AGENT_API_URL: service.url, AGENT_API_KEY: FAKE_AGENT_KEY };
      const dryRun = await wine.agent(["service", "install", "--dry-run"], { env });
      expect(dryRun).toMatchObject({ code: 0, stderr: "" });
      expect(dryRun.stdout).toContain("C:\\Program Files\\Bellhop\\bellhop-agent.exe");
      expect(dryRun.stdout).toContain("VAULT_PATH=C:\\ProgramData\\Bellhop\\vault.json");
      expect(dryRun.stdout).toContain("<BootTrigger>");
      expect(dryRun.stdout).not.toContain(FAKE_AGENT_KEY);
    },
    2 * START_MS,
  );
});
