import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "../support/debian-peer.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, runTest, temporaryState, textOf } from "../support/executor-context.ts";
import type { TestJob } from "../support/executor-context.ts";
import { HOSTILE_VALUES, PRINT_VALUES_PYTHON, PRINT_VALUES_SH, readShellValues } from "../support/hostile-values.ts";
import { programsFor, WAYS } from "../support/programs.ts";

/** With `HUGE=` and a NUL, the variable has 128 KiB. */
const LARGEST = 128 * 1_024 - "HUGE=\0".length;

let state: { path: string; remove: () => Promise<void> };
beforeAll(async () => {
  state = await temporaryState();
});
afterAll(() => state.remove());

describe.each(WAYS)("a script on the agent's host, %s", (_, way) => {
  const { stop, ...started } = programsFor(way);
  const isHosted = way !== null;
  afterAll(stop);
  const bash = (script: string, more: TestJob = {}) =>
    runAction("script", "script.bash", { ...started, ...more, params: { script, ...more.params } });
  const python = (script: string, more: TestJob = {}) =>
    runAction("script", "script.python", { ...started, ...more, params: { script, ...more.params } });

  test("returns its output and exit code", async () => {
    const outcome = await bash("echo out; echo err >&2");
    expect(outcome).toEqual({ status: "succeeded", output: { stdout: "out\n", stderr: "err\n", exitCode: 0 } });
  });

  test("with another exit code fails, and the error has the last line of stderr", async () => {
    const outcome = await bash("echo so far; echo 'first' >&2; echo 'disk is full' >&2; exit 3");
    expect(outputOf(outcome)).toEqual({ stdout: "so far\n", stderr: "first\ndisk is full\n", exitCode: 3 });
    expect(failureOf(outcome).code).toBe("nonzero_exit");
    expect(failureOf(outcome).message).toContain("exit code 3");
    expect(failureOf(outcome).message).toContain("disk is full");
  });

  test("has its last line without the terminal's colours in the error", async () => {
    const outcome = await bash(String.raw`printf '\033[1;31mdisk is full\033[0m\n\033[0m' >&2; exit 3`);
    expect(failureOf(outcome).message).toBe("bash ended with exit code 3. Last line of stderr: disk is full");
    expect(textOf(outputOf(outcome), "stderr")).toContain("\u001B[1;31mdisk");
  });

  test("that a signal ends fails with the signal's name", async () => {
    const outcome = await bash("kill -KILL $$");
    expect(outputOf(outcome)["exitCode"]).toBe(137);
    expect(failureOf(outcome).code).toBe("ended_by_signal");
    expect(failureOf(outcome).message).toContain("SIGKILL");
  });

  test("gets every value byte for byte in bash", async () => {
    const outcome = await bash(PRINT_VALUES_SH, { values: HOSTILE_VALUES });
    expect(readShellValues(textOf(outputOf(outcome), "stdout"))).toEqual(HOSTILE_VALUES);
  });

  test("gets every value byte for byte in Python", async () => {
    const outcome = await python(PRINT_VALUES_PYTHON, { values: HOSTILE_VALUES });
    expect(JSON.parse(textOf(outputOf(outcome), "stdout"))).toEqual(HOSTILE_VALUES);
  });

  test("gets params.env, which values override", async () => {
    const outcome = await bash('echo "$ONE $TWO"', {
      params: { env: { ONE: "env", TWO: "env" } },
      values: { TWO: "value" },
    });
    expect(outputOf(outcome)["stdout"]).toBe("env value\n");
  });

  test("gets the trace context of its job, unless it sets the variable itself", async () => {
    const traceparent = "00-01987a3b1c2d7e4f8a5b0123456789ab-8a5b0123456789ab-01";
    const show = 'echo "${TRACEPARENT-unset}"';
    const shown = async (job: TestJob) => outputOf(await bash(show, job))["stdout"];
    expect(await shown({ traceparent })).toBe(`${traceparent}\n`);
    expect(await shown({ traceparent, values: { TRACEPARENT: "mine" } })).toBe("mine\n");
    expect(await shown({ traceparent, params: { env: { TRACEPARENT: "" } } })).toBe("\n");
    expect(await shown({})).toBe("unset\n");
  });

  test("has an empty standard input", async () => {
    const outcome = await bash("cat; read -r line || echo at the end");
    expect(outputOf(outcome)["stdout"]).toBe("at the end\n");
  });

  test("does not see the agent's settings", async () => {
    process.env["AGENT_API_KEY"] = "bh-not-for-scripts";
    process.env["ADMIN_TOKEN"] = "token-not-for-scripts";
    process.env["VAULT_PATH"] = "/vault-not-for-scripts";
    try {
      const outcome = await bash("env");
      expect(textOf(outputOf(outcome), "stdout")).not.toContain("not-for-scripts");
      expect(textOf(outputOf(outcome), "stdout")).toContain("PATH=");
    } finally {
      for (const name of ["AGENT_API_KEY", "ADMIN_TOKEN", "VAULT_PATH"]) delete process.env[name];
    }
  });

  test("runs in an empty private directory, which is deleted afterwards", async () => {
    const outcome = await bash("pwd; ls -A; echo data > left-behind", { stateDirectory: state.path });
    const [directory = "", ...files] = textOf(outputOf(outcome), "stdout").trim().split("\n");
    expect(directory.startsWith(isHosted ? join(tmpdir(), "bellhop-job-") : state.path)).toBe(true);
    expect(files).toEqual([]);
    await eventually("the directory to be gone", () => !existsSync(directory));
  });

  test("leaves no files when it fails", async () => {
    const outcome = await bash("pwd; echo data > left-behind; exit 1", { stateDirectory: state.path });
    const directory = textOf(outputOf(outcome), "stdout").trim();
    await eventually("the directory to be gone", () => !existsSync(directory));
  });

  test.skipIf(isHosted)("cleans up after a killed agent, without disturbing jobs that begin concurrently", async () => {
    const fresh = await temporaryState();
    await mkdir(join(fresh.path, "scripts", "job-left", "work"), { recursive: true });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => bash("pwd", { stateDirectory: fresh.path })));
    const left = await readdir(join(fresh.path, "scripts"));
    await fresh.remove();
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "succeeded"));
    expect(left).toEqual([]);
  });

  test("cannot be read by others while it runs", async () => {
    const outcome = await bash('stat -c %a "$0" "$(dirname "$0")"');
    expect(outputOf(outcome)["stdout"]).toBe("600\n700\n");
  });

  test("runs in its working directory", async () => {
    const directory = join(state.path, `it's here ${isHosted}`);
    await mkdir(directory);
    const outcome = await bash("pwd", { params: { workingDirectory: directory } });
    expect(outputOf(outcome)["stdout"]).toBe(`${directory}\n`);
  });

  test("fails when its working directory is missing or a file, and says so", async () => {
    const missing = failureOf(await bash("pwd", { params: { workingDirectory: "/there/is/no/such/directory" } }));
    expect(missing.code).toBe("invalid_params");
    expect(missing.message).toContain("/there/is/no/such/directory does not exist");
    const file = failureOf(await bash("pwd", { params: { workingDirectory: "/etc/hostname" } }));
    expect(file.message).toContain("is not a directory");
  });

  test("has its output cut at the limit, and says so", async () => {
    const outcome = await bash("seq 1 60000; seq 1 60000 >&2");
    const output = outputOf(outcome);
    expect(output["truncated"]).toBe(true);
    const counts = ["stdout", "stderr"].map((name) => Number(/\.\.\. (\d+) bytes/u.exec(textOf(output, name))?.[1]));
    expect(output["droppedBytes"]).toBe(counts.reduce((sum, each) => sum + each, 0));
    for (const name of ["stdout", "stderr"]) {
      const text = textOf(output, name);
      expect(text.startsWith("1\n2\n")).toBe(true);
      expect(text).toMatch(/\n\[\.\.\. \d+ bytes left out \.\.\.\]\n/u);
      expect(text.endsWith("\n59999\n60000\n")).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(256 * 1_024);
    }
    expect(Buffer.byteLength(JSON.stringify(output))).toBeLessThanOrEqual(512 * 1_024);
  });

  test("fails with the names of all wrong parameters", async () => {
    const outcome = await runAction("script", "script.bash", {
      params: { script: "", workingDirectory: 7, env: { "no name": "x" }, shell: "zsh" },
    });
    const { code, message } = failureOf(outcome);
    expect(code).toBe("invalid_params");
    for (const part of ["script", "workingDirectory", "env", "shell"]) expect(message).toContain(part);
  });

  test.each([
    ["a NUL", { NUL: "a\0b" }, "value_not_representable"],
    ["half a character", { HALF: "\ud83d" }, "value_not_representable"],
    ["an invalid name", { "not-a-name": "x" }, "invalid_params"],
    ["a value one byte beyond the limit of Linux", { HUGE: "x".repeat(LARGEST + 1) }, "value_too_large"],
  ])("refuses %s, and names the value", async (_, values, code) => {
    const failure = failureOf(await bash("true", { values }));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(Object.keys(values)[0] ?? "") });
    const asEnv = failureOf(await bash("true", { params: { env: values } }));
    // For `env`, the contract checks the names.
    expect(asEnv.code).toBe(code);
  });

  test("gets a value of the largest size on Linux", async () => {
    const outcome = await python("import os; print(len(os.environ['HUGE']))", {
      values: { HUGE: "x".repeat(LARGEST) },
    });
    expect(outputOf(outcome)["stdout"]).toBe(`${LARGEST}\n`);
  });

  test("fails when all values together are too large", async () => {
    const values = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`V${index}`, "x".repeat(120_000)]));
    const { code, message } = failureOf(await bash("true", { values }));
    expect(code).toBe("values_too_large");
    expect(message).toContain("together");
  });

  test("does not begin when its job has ended", async () => {
    const outcome = await bash("echo ran", { signal: AbortSignal.abort() });
    expect(failureOf(outcome).code).toBe("job_ended");
    expect(outcome.output).toBeNull();
  });

  test("in Python returns what it printed before it was ended", async () => {
    const controller = new AbortController();
    const ready = `ready-${isHosted}`;
    const running = python(`import sys, time\nprint('begun')\nopen('${ready}', 'w').close()\ntime.sleep(60)`, {
      params: { workingDirectory: state.path },
      signal: controller.signal,
    });
    await eventually("the script to begin", async () => (await readdir(state.path)).includes(ready));
    controller.abort();
    const outcome = await running;
    expect(failureOf(outcome).code).toBe("job_ended");
    expect(outputOf(outcome)["stdout"]).toBe("begun\n");
  });

  test("without its interpreter fails with the interpreter's name and advice", async () => {
    const { code, message } = failureOf(await withPath(state.path, () => bash("true")));
    expect(code).toBe("interpreter_missing");
    expect(message).toContain("Install bash");
  });

  test("in PowerShell is passed to pwsh as a file", async () => {
    const directory = join(state.path, `fake-powershell-${isHosted}`);
    await mkdir(directory);
    await writeFile(
      join(directory, "pwsh"),
      '#!/bin/sh\nfor last; do :; done\necho "$1 $2 $3 $4"; od -An -c -N3 "$last"; tail -c +4 "$last"\n',
    );
    await chmod(join(directory, "pwsh"), 0o755);
    const outcome = await withPath(`${directory}:${process.env["PATH"]}`, () =>
      runAction("script", "script.powershell", { ...started, params: { script: "Write-Output hello" } }),
    );
    expect(outputOf(outcome)["stdout"]).toBe(
      "-NoLogo -NoProfile -NonInteractive -File\n 357 273 277\nWrite-Output hello",
    );
  });
});

test("a test of a script connection names each interpreter with its version", async () => {
  const checks = await runTest("script", {});
  expect(checks.map(({ name }) => name)).toEqual(["bash", "python", "powershell"]);
  expect(checks[0]).toMatchObject({ ok: true });
  expect(checks[0]?.detail).toContain("version");
  const without = await withPath(state.path, () => runTest("script", {}));
  expect(without.map(({ ok }) => ok)).toEqual([false, true, true]);
});

test("a test of a script connection reports an interpreter that does not start", async () => {
  const directory = join(state.path, "broken-bash");
  await mkdir(directory);
  await writeFile(join(directory, "bash"), "#!/bin/sh\necho 'missing library' >&2; exit 127\n", { mode: 0o755 });
  await writeFile(join(directory, "python3"), "#!/no/such/interpreter\n", { mode: 0o755 });
  const [bash, python] = await withPath(`${directory}:/usr/bin:/bin`, () => runTest("script", {}));
  expect(bash).toMatchObject({ name: "bash", ok: false });
  expect(bash?.detail).toContain("missing library");
  expect(bash?.detail).toContain("exit code 127");
  expect(python).toMatchObject({ name: "python", ok: false });
  expect(python?.detail).toContain("Repair or reinstall it");
});

const localeMissing = debianPeer("/usr/share/i18n/charmaps/ISO-8859-1.gz", "locales");
if (localeMissing !== null) console.warn(`A test of Latin-1 locales is skipped: ${localeMissing}.`);

test.skipIf(localeMissing !== null)("a Python script under a Latin-1 locale reads values correctly", async () => {
  const locale = "de_DE";
  const made = Bun.spawnSync(["localedef", "-i", locale, "-f", "ISO-8859-1", join(state.path, locale)]);
  expect(made.stderr.toString()).toBe("");
  const script = "import os; print(os.environ['VALUE'], os.environ['LC_ALL'])";
  const outcome = await runAction("script", "script.python", {
    params: { script, env: { LOCPATH: state.path, LC_ALL: locale } },
    values: { VALUE: "Gerät ☃" },
  });
  expect(outputOf(outcome)["stdout"]).toBe(`Gerät ☃ ${locale}\n`);
});

/** The executor uses the PATH of the agent's environment. */
async function withPath<T>(path: string, use: () => Promise<T>): Promise<T> {
  const before = process.env["PATH"];
  process.env["PATH"] = path;
  return await use().finally(() => {
    process.env["PATH"] = before;
  });
}
