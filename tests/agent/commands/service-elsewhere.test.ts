import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { hasSystemd } from "../../../agent/system-service/linux/no-systemd.ts";
import { AgentHome } from "../agent-process.ts";
import { runCommand } from "../command-process.ts";

let home: AgentHome;
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

const withSystemd = process.platform !== "linux" || hasSystemd() ? " (skipped: this machine is run by systemd)" : "";

describe.skipIf(withSystemd !== "")(`without systemd${withSystemd}`, () => {
  const service = (...args: string[]) => runCommand(home, ["service", ...args]);

  test("service install says what to do instead", async () => {
    const { code, stderr } = await service("install", "--url", "https://bellhop.example.com");
    expect(code).toBe(69);
    expect(stderr).toContain("there is no unit to install");
  });

  test("service install --dry-run shows the files for a system with systemd", async () => {
    const { code, stdout, stderr } = await service("install", "--dry-run");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toStartWith("This system does not run systemd, so install would refuse it.");
    expect(stdout).toContain("- write /etc/systemd/system/bellhop-agent.service (mode 0644)\n");
  });

  test.each([
    [["status"], 69, "not installed: this system is not run by systemd"],
    [["status", "--json"], 69, '{"installed":false}'],
    [["uninstall"], 0, "nothing was removed"],
    [["uninstall", "--purge"], 0, "nothing was removed"],
  ])("%p says that no service is installed, without advice to install one", async (args, expected, said) => {
    const { code, stdout, stderr } = await service(...args);
    expect({ code, stderr }).toEqual({ code: expected, stderr: "" });
    expect(stdout).toContain(said);
    expect(stdout).not.toContain("agent.env");
    expect(stdout.trim().split("\n")).toHaveLength(1);
  });
});
