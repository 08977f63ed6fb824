import { expect, test } from "bun:test";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";

function bellhopctl(...args: string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, join(ROOT, "scripts/service/main.ts"), ...args],
    { env: { PATH: process.env["PATH"] ?? "" } },
  );
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

test("each command of bellhopctl answers --help with its usage, and does nothing else", () => {
  const { stdout: all } = bellhopctl("--help");
  const commands = [...all.matchAll(/^ {2}bellhopctl ([\w-]+)/gmu)].map(([, name = ""]) => name);
  expect(commands).toEqual([
    "database",
    "serves-database",
    "database-settings",
    "store-exports",
    "migrate",
    "free",
    "wait",
    "backup",
    "restore",
  ]);
  for (const name of commands) {
    const { exitCode, stdout, stderr } = bellhopctl(name, "--help");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const [title, ...usage] = stdout.trimEnd().split("\n");
    expect(title).toBe("Usage:");
    expect(usage[0]).toStartWith(`  bellhopctl ${name}`);
    expect(all).toContain(usage.join("\n"));
  }
});
