import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { restartOrRestore } from "../../../agent/update/restart.ts";
import { isPartOf } from "../../../agent/update/running-service.ts";
import type { RunningService } from "../../../agent/update/running-service.ts";
import { exchange, executablePaths, putInPlace, restorePrevious } from "../../../agent/update/swap.ts";
import { ownTarget } from "../../../agent/update/target.ts";
import { versionOf } from "../../../agent/update/try-executable.ts";
import { compareVersions } from "../../../agent/update/versions.ts";
import { eventually } from "../../support/eventually.ts";

test("versions are ordered as in Semantic Versioning", () => {
  const order = ["0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11"];
  order.push("1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0");
  for (const [a, one] of order.entries()) {
    for (const [b, other] of order.entries()) {
      expect({ one, other, sign: Math.sign(compareVersions(one, other)) }).toEqual({
        one,
        other,
        sign: Math.sign(a - b),
      });
    }
  }
});

test.each([
  ["linux", "x64", "glibc", "linux-x64"],
  ["linux", "x64", "musl", "linux-x64-musl"],
  ["linux", "arm64", "glibc", "linux-arm64"],
  ["linux", "arm64", "musl", null],
  ["win32", "x64", "glibc", "windows-x64"],
  ["darwin", "arm64", "glibc", null],
] as const)("on %s %s with %s the target is %p", (platform, arch, libc, target) => {
  expect(ownTarget(platform, arch, libc)).toBe(target);
});

describe("replacing an executable", () => {
  let directory: string;
  let current: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-swap-"));
    current = join(directory, "bellhop-agent");
    await script(current, "1.0.0");
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  async function script(path: string, version: string): Promise<void> {
    await writeFile(path, `#!/bin/sh\necho bellhop-agent ${version}\n`);
    await chmod(path, 0o755);
  }

  test("keeps the previous one and its mode", async () => {
    const paths = executablePaths(current);
    await chmod(current, 0o750);
    await script(paths.fresh, "2.0.0");
    await putInPlace(paths);
    expect(await versionOf(paths.current)).toBe("2.0.0");
    expect(await versionOf(paths.previous)).toBe("1.0.0");
    expect((await stat(current)).mode & 0o777).toBe(0o750);
    expect((await readdir(directory)).toSorted()).toEqual(["bellhop-agent", "bellhop-agent.previous"]);
  });

  test("leaves a complete executable when killed at any step, and the next attempt succeeds", async () => {
    const swap = join(import.meta.dir, "../../../agent/update/swap.ts");
    for (const step of ["owner", "previous", "swapped"]) {
      const paths = executablePaths(current);
      await script(current, "1.0.0");
      await script(paths.fresh, "2.0.0");
      const program = `
        import { executablePaths, putInPlace } from ${JSON.stringify(swap)};
        await putInPlace(executablePaths(${JSON.stringify(current)}), (step) => {
          if (step === ${JSON.stringify(step)}) process.kill(process.pid, "SIGKILL");
        });`;
      const child = Bun.spawn([process.execPath, "--eval", program], { stdio: ["ignore", "ignore", "inherit"] });
      await child.exited;
      expect(child.signalCode).toBe("SIGKILL");
      expect({ step, version: await versionOf(current) }).toEqual({
        step,
        version: step === "swapped" ? "2.0.0" : "1.0.0",
      });
      await script(paths.fresh, "3.0.0");
      await putInPlace(paths);
      expect(await versionOf(current)).toBe("3.0.0");
      expect((await readdir(directory)).toSorted()).toEqual(["bellhop-agent", "bellhop-agent.previous"]);
    }
  });

  test("is not interrupted by Ctrl-C or a closed terminal", async () => {
    const finish = join(import.meta.dir, "../../../agent/update/finish.ts");
    const program = `
      import { existsSync } from "node:fs";
      import { withoutInterruption } from ${JSON.stringify(finish)};
      const say = (line) => process.stdout.write(line + "\\n");
      await withoutInterruption(say, async () => {
        say("begun");
        while (!existsSync("end")) await Bun.sleep(10);
      });
      say("done");`;
    const child = Bun.spawn([process.execPath, "--eval", program], {
      cwd: directory,
      stdout: "pipe",
      stderr: "inherit",
    });
    let said = "";
    const reading = (async () => {
      for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk);
    })();
    await eventually("its beginning", () => said.includes("begun"));
    for (const [index, signal] of (["SIGHUP", "SIGINT", "SIGTERM"] as const).entries()) {
      child.kill(signal);
      await eventually(
        `a message about ${signal}`,
        () => said.split("the update is finished first").length === index + 2,
      );
    }
    await writeFile(join(directory, "end"), "");
    expect(await child.exited).toBe(0);
    await reading;
    expect(said).toEndWith("done\n");
  });

  test("can be undone, and an exchange works in both directions", async () => {
    const paths = executablePaths(current);
    await script(paths.fresh, "2.0.0");
    await putInPlace(paths);
    await exchange(paths);
    expect([await versionOf(paths.current), await versionOf(paths.previous)]).toEqual(["1.0.0", "2.0.0"]);
    await exchange(paths);
    expect([await versionOf(paths.current), await versionOf(paths.previous)]).toEqual(["2.0.0", "1.0.0"]);
    await restorePrevious(paths);
    expect(await readFile(current, "utf8")).toContain("1.0.0");
    expect(await readdir(directory)).toEqual(["bellhop-agent"]);
  });

  test.each([
    ["exit 3", "exit code 3"],
    ["echo hello", "does not answer --version"],
    ["echo bellhop-agent 1 2", "does not answer --version"],
  ])("refuses one that answers --version with %p", async (line, said) => {
    await writeFile(current, `#!/bin/sh\n${line}\n`);
    expect(versionOf(current)).rejects.toThrow(said);
  });
});

test.each([
  ["0::/system.slice/bellhop-agent.service\n", true],
  ["12:pids:/system.slice/bellhop-agent.service/job\n0::/\n", true],
  ["0::/user.slice/user-0.slice/session-3.scope\n", false],
  ["0::/system.slice/run-u12.service\n", false],
  ["0::/system.slice/not-bellhop-agent.service\n", false],
  ["", false],
])("a process in %p belongs to the service: %p", (cgroup, expected) => {
  expect(isPartOf("bellhop-agent.service", cgroup)).toBe(expected);
});

describe("restarting the service after an update", () => {
  /** A service where only the versions that `registers` accepts register; `runs` is the installed version. */
  function machine(registers: (version: string) => boolean, givesUp: string | null = null) {
    const state = { runs: "2.0.0", instance: 1, restarts: 0, registered: "1.0.0" as string | null };
    const service: RunningService = {
      name: "test",
      restart: () => {
        state.restarts++;
        state.instance++;
        state.registered = registers(state.runs) ? state.runs : null;
        return Promise.resolve();
      },
      registered: () =>
        state.registered === null
          ? null
          : {
              version: state.registered,
              pid: 1,
              instanceId: String(state.instance),
              agentId: "agt_1",
              registeredAt: "2026-11-01T00:00:00.000Z",
            },
      givenUp: () => Promise.resolve(givesUp),
    };
    const restore = () => {
      state.runs = "1.0.0";
      return Promise.resolve();
    };
    return { state, run: () => restartOrRestore({ service, version: "2.0.0", restore, registerWithinMs: 0 }) };
  }

  test("ends once the new version has registered", async () => {
    const { state, run } = machine(() => true);
    await run();
    expect(state).toMatchObject({ runs: "2.0.0", restarts: 1, registered: "2.0.0" });
  });

  test("restores the previous version when the new one does not register, and says so", async () => {
    const { state, run } = machine((version) => version === "1.0.0");
    await expect(run()).rejects.toThrow(
      "version 2.0.0 did not register: it did not report within 0 s. Version 1.0.0 is restored and registered",
    );
    expect(state).toMatchObject({ runs: "1.0.0", restarts: 2, registered: "1.0.0" });
  });

  test("does not wait for a version that has given up, and says when neither version registers", async () => {
    const { state, run } = machine(() => false, "it ended (exit-code, exit code 1)");
    await expect(run()).rejects.toThrow("has not registered either (it ended (exit-code, exit code 1))");
    expect(state).toMatchObject({ runs: "1.0.0", restarts: 2 });
  });
});
