import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { ownUnit } from "../../agent/executors/os-service/own-unit.ts";
import { rights } from "../../agent/executors/os-service/checks.ts";
import { runTest } from "../support/executor-context.ts";
import { Systemd, systemdMissing } from "../support/systemd/index.ts";

const path = process.env["PATH"];

describe("the agent's own unit", () => {
  test.each([
    ["0::/system.slice/bellhop-agent.service", "bellhop-agent.service"],
    ["0::/system.slice/system-bellhop.slice/bellhop@east.service/inner", "bellhop@east.service"],
    ["12:pids:/x.service\n1:name=systemd:/system.slice/bellhop-agent.service\n0::/", "bellhop-agent.service"],
    ["0::/user.slice/user-1000.slice/user@1000.service/app.slice/bellhop.service", "user@1000.service"],
    ["0::/user.slice/user-0.slice/session-3.scope", "session-3.scope"],
    ["0::/_cgroup.service", "cgroup.service"],
    ["0::/", null],
    ["4:memory:/jobs/x.service", null],
    ["", null],
  ])("in the control groups %j is %p", (cgroups, unit) => {
    expect(ownUnit(() => cgroups)).toBe(unit);
  });

  test("is null on a host without control groups", () => {
    expect(
      ownUnit(() => {
        throw new Error("ENOENT");
      }),
    ).toBeNull();
  });
});

describe("the connection test of osService", () => {
  test("says that an ordinary user depends on polkit", () => {
    expect(rights(0).detail).toContain("root");
    expect(rights(1_000).detail).toContain("polkit");
  });

  test("fails without systemctl, and says what is needed", async () => {
    process.env["PATH"] = "/nowhere";
    try {
      const checks = await runTest("osService", {});
      expect(checks).toEqual([{ name: "Service manager", ok: false, detail: expect.stringContaining("need systemd") }]);
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe.skipIf(systemdMissing !== null)("an agent that runs as a unit of a real systemd", () => {
  let machine: Systemd;
  beforeAll(async () => {
    machine = await Systemd.start();
    await machine.install({
      "deep.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "storage.service":
        "[Unit]\nRequires=deep.service\nPartOf=pool.service\nStopPropagatedFrom=switch.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "pool.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "switch.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "conflicting.service": "[Unit]\nConflicts=agent-here.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "displaces-deep.service": "[Unit]\nConflicts=deep.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "needs-conflicting.service": "[Unit]\nWants=conflicting.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "refused-by-agent.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "other.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "fails.service": "[Service]\nExecStart=/bin/false\n",
    });
    await machine.systemctl("start", "pool", "switch");
  });
  afterAll(() => machine.stop());

  test.each([
    ["restart", "agent-here", "own_service"],
    ["stop", "agent-here.service", "own_service"],
    ["stop", "storage", "own_service"],
    ["stop", "deep", "own_service"],
    ["restart", "deep", "own_service"],
    ["stop", "pool", "own_service"],
    ["restart", "switch", "own_service"],
    ["start", "conflicting", "own_service"],
    ["restart", "conflicting", "own_service"],
    ["stop", "conflicting", "succeeded"],
    ["start", "displaces-deep", "own_service"],
    ["start", "needs-conflicting", "own_service"],
    ["start", "refused-by-agent", "own_service"],
    ["start", "storage", "succeeded"],
    ["start", "deep", "succeeded"],
    ["restart", "other", "succeeded"],
  ])("asked to %s %s ends with %s", async (verb, service, expected) => {
    expect(await outcomeInside(machine, verb, service)).toBe(expected);
  });

  test("has a connection test with systemd's version, its rights, and whether it may restart the system", async () => {
    process.env["PATH"] = machine.programs;
    try {
      await machine.systemctl("start", "fails");
      const refused = await runTest("osService", { allowOsRestart: false });
      expect(refused.map(({ name, ok }) => [name, ok])).toEqual([
        ["Service manager", true],
        ["Rights", true],
        ["Restart of the system", true],
      ]);
      expect(refused[0]?.detail).toMatch(/systemd \d+.*degraded/u);
      expect(refused[2]?.detail).toContain("refused here");
      const allowed = await runTest("osService", { allowOsRestart: true });
      expect(allowed[2]?.detail).toContain("may restart this machine");
    } finally {
      process.env["PATH"] = path;
    }
  });
});

/** Runs the executor in a unit that requires storage.service. */
async function outcomeInside(machine: Systemd, verb: string, service: string): Promise<string> {
  const support = join(import.meta.dir, "../support/executor-context.ts");
  const program = `
    import { runAction } from ${JSON.stringify(support)};
    const outcome = await runAction("osService", "os.${verb}Service", { params: { service: ${JSON.stringify(service)} } });
    console.log(outcome.status === "failed" ? outcome.error.code : outcome.status);
  `;
  const depends = ["--property=Requires=storage.service", "--property=Conflicts=refused-by-agent.service"];
  const unit = ["--unit=agent-here", "--collect", "--wait", "--pipe", "--quiet", ...depends];
  const end = await machine.run(["systemd-run", ...unit, "--", process.execPath, "--eval", program]);
  return `${end.stdout}${end.stderr}`.trim();
}
