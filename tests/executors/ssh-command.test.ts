import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, type TestJob, textOf } from "../support/executor-context.ts";
import {
  HOSTILE_VALUES,
  PRINT_VALUES_PYTHON,
  PRINT_VALUES_SH,
  hostileValuesFor,
  readShellValues,
} from "../support/hostile-values.ts";
import { isRunning, onAnyCommandLine, pidIn } from "../support/processes.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing, sshdPasswordMissing } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of SSH commands are skipped: ${sshdMissing}.`);

let key: TestKey;
beforeAll(async () => {
  key = await makeKey();
});

function on(sshd: Sshd, action: string, params: JsonObject, more: TestJob = {}) {
  return runAction("ssh", action, {
    ...more,
    config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "privateKey" },
    secrets: { privateKey: key.privateKey },
    params,
  });
}

async function start(options: Parameters<(typeof Sshd)["start"]>[0]): Promise<Sshd> {
  const sshd = await Sshd.start(options);
  await sshd.authorize(key.publicKey);
  return sshd;
}

describe.skipIf(sshdMissing !== null)("a command on an SSH host", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await start({});
  });
  afterAll(() => sshd.stop());

  const command = (text: string, more?: TestJob) => on(sshd, "ssh.executeCommand", { command: text }, more);
  const script = (params: JsonObject, more?: TestJob) => on(sshd, "ssh.executeScript", params, more);

  test("returns its output and exit code", async () => {
    const outcome = await command("echo out; echo err >&2");
    expect(outcome).toEqual({ status: "succeeded", output: { stdout: "out\n", stderr: "err\n", exitCode: 0 } });
  });

  test("with another exit code fails with the last line of stderr", async () => {
    const outcome = await command("echo 'no such service' >&2; exit 5");
    expect(outputOf(outcome)["exitCode"]).toBe(5);
    expect(failureOf(outcome).code).toBe("nonzero_exit");
    expect(failureOf(outcome).message).toContain("no such service");
  });

  test("that a signal ends has the exit code that shells use for that signal", async () => {
    const outcome = await command("kill -KILL $$");
    expect(outputOf(outcome)["exitCode"]).toBe(137);
    expect(failureOf(outcome).message).toContain("SIGKILL");
  });

  test("starts in the user's home with the user's umask and an empty standard input", async () => {
    const outcome = await command("pwd; umask; cat; read -r line || echo at the end");
    expect(textOf(outputOf(outcome), "stdout")).toMatch(/^\/.*\n0?022\nat the end\n$/u);
  });

  test("gets every value byte for byte in sh, bash and Python", async () => {
    const canary = join(tmpdir(), `bellhop-executed-${crypto.randomUUID()}`);
    const values = hostileValuesFor(canary);
    const shells = [
      await command(PRINT_VALUES_SH, { values }),
      await script({ script: PRINT_VALUES_SH, interpreter: "sh" }, { values }),
      await script({ script: PRINT_VALUES_SH }, { values }),
    ];
    for (const outcome of shells) expect(readShellValues(textOf(outputOf(outcome), "stdout"))).toEqual(values);
    const python = await script({ script: PRINT_VALUES_PYTHON, interpreter: "python3" }, { values });
    expect(JSON.parse(textOf(outputOf(python), "stdout"))).toEqual(values);
    expect(existsSync(canary)).toBe(false);
  });

  test("gets its arguments separately, byte for byte", async () => {
    const given = Object.values(HOSTILE_VALUES);
    const outcome = await script({
      script: "import json, sys\nprint(json.dumps(sys.argv[1:]))",
      interpreter: "python3",
      arguments: given,
    });
    expect(JSON.parse(textOf(outputOf(outcome), "stdout"))).toEqual(given);
  });

  test("runs as it was written, for any text", async () => {
    const text = [
      "cat <<'EOF'",
      'it\'s "quoted" \\ $HOME `id` %s é日\u{1f4a5} \u0081\u0088',
      "EOF",
      `printf '%s\\n' 'bellhop' "$(printf '%s' inner)"`,
    ].join("\n");
    for (const outcome of [await command(text), await script({ script: text })]) {
      expect(outputOf(outcome)["stdout"]).toBe(
        'it\'s "quoted" \\ $HOME `id` %s é日\u{1f4a5} \u0081\u0088\nbellhop\ninner\n',
      );
    }
  });

  test("may have a megabyte", async () => {
    const outcome = await script({ script: `${"# a comment that goes on and on\n".repeat(30_000)}echo the end` });
    expect(outputOf(outcome)["stdout"]).toBe("the end\n");
  });

  test("has its output cut at the limit, and says so", async () => {
    const output = outputOf(await command("seq 1 60000; seq 1 60000 >&2"));
    expect(output["truncated"]).toBe(true);
    for (const name of ["stdout", "stderr"]) {
      expect(textOf(output, name)).toMatch(/^1\n2\n[^]*\n\[\.\.\. \d+ bytes left out \.\.\.\]\n[^]*\n60000\n$/u);
      expect(Buffer.byteLength(textOf(output, name))).toBeLessThanOrEqual(256 * 1_024);
    }
  });

  test("may write 50 MB, of which the beginning and the end are kept", async () => {
    const output = outputOf(await command("echo begin; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end"));
    expect(textOf(output, "stdout")).toMatch(/^begin\n[^]*end\n$/u);
  });

  test("leaves no file on the host", async () => {
    const before = textOf(outputOf(await command('dirname "$0"')), "stdout").trim();
    expect(before).toContain("bellhop-");
    expect(existsSync(before)).toBe(false);
    await command("exit 1");
    expect(await readdir(sshd.temporary)).toEqual([]);
  });

  test("cannot be read by other users of the host", async () => {
    const outcome = await command('stat -c %a "$0" "$(dirname "$0")"');
    expect(outputOf(outcome)["stdout"]).toBe("600\n700\n");
  });

  test("never appears with its values on a command line of the host", async () => {
    const stop = new AbortController();
    const ready = join(sshd.home, "ready");
    const running = command(`echo literal-0f-the-command > /dev/null; touch ready; sleep 60.0625`, {
      values: { VALUE: "value-0f-a-template" },
      signal: stop.signal,
    });
    await eventually("the command to begin", () => existsSync(ready));
    await eventually("the last command to run", () => onAnyCommandLine("sleep 60.0625"));
    expect(onAnyCommandLine("value-0f-a-template")).toBe(false);
    expect(onAnyCommandLine("literal-0f-the-command")).toBe(false);
    stop.abort();
    await running;
  });

  test("needs an interpreter that exists on the host", async () => {
    const { code } = failureOf(await script({ script: "x", interpreter: "no-such-interpreter" }));
    expect(code).toBe("interpreter_missing");
  });

  test("fails with the names of all wrong parameters", async () => {
    const { code, message } = failureOf(await script({ script: "", interpreter: "bash -c", arguments: "x" }));
    expect(code).toBe("invalid_params");
    for (const part of ["script", "interpreter", "arguments"]) expect(message).toContain(part);
    expect(failureOf(await command("echo \0")).code).toBe("invalid_params");
  });
});

describe.skipIf(sshdPasswordMissing !== null)("an account on an SSH host", () => {
  const accounts: [string, Parameters<(typeof Sshd)["start"]>[0]][] = [
    ["whose shell is dash", { shell: "/bin/dash" }],
    ["that greets in its shell's start-up file", { shell: "/bin/bash" }],
  ];
  for (const [name, options] of accounts) {
    test(`${name} runs commands with their values`, async () => {
      const sshd = await start(options);
      try {
        await Bun.write(join(sshd.home, ".bashrc"), "echo 'Welcome to the host'; printf 'no line end'\n");
        const outcome = await on(sshd, "ssh.executeCommand", { command: PRINT_VALUES_SH }, { values: HOSTILE_VALUES });
        expect(readShellValues(textOf(outputOf(outcome), "stdout"))).toEqual(HOSTILE_VALUES);
      } finally {
        await sshd.stop();
      }
    });
  }

  test("that may not run commands fails with the host's message", async () => {
    const sshd = await start({ shell: "/usr/sbin/nologin" });
    try {
      const { code, message } = failureOf(await on(sshd, "ssh.executeCommand", { command: "true" }));
      expect(code).toBe("remote_shell_failed");
      expect(message).toContain("not available");
    } finally {
      await sshd.stop();
    }
  });

  test("without a writable directory for the script fails with advice", async () => {
    const sshd = await start({ environment: { TMPDIR: "/no/such/place" } });
    try {
      // The account's home is the second choice.
      expect((await on(sshd, "ssh.executeCommand", { command: "true" })).status).toBe("succeeded");
      await chmod(sshd.home, 0o500);
      const root = await on(sshd, "ssh.executeCommand", { command: "true" });
      expect(failureOf(root).code).toBe("remote_shell_failed");
      expect(failureOf(root).message).toContain("TMPDIR");
    } finally {
      await sshd.stop();
    }
  });

  const groupTools: [string, string[]][] = [
    ["without setsid, but with perl,", ["perl"]],
    ["without setsid and perl, but with ps,", ["ps", "tr"]],
    ["without any program that shows process groups", []],
  ];
  for (const [name, tools] of groupTools) {
    test(`on a host ${name} runs and ends commands`, async () => {
      const programs = await mkdtemp(join(tmpdir(), "bellhop-programs-"));
      await chmod(programs, 0o755);
      for (const tool of ["sh", "mkdir", "cat", "rm", "sleep", ...tools]) {
        await symlink(Bun.which(tool) ?? tool, join(programs, tool));
      }
      const sshd = await start({ environment: { PATH: programs }, shell: "/bin/dash" });
      try {
        expect(outputOf(await on(sshd, "ssh.executeCommand", { command: "echo $((6 * 7))" }))["stdout"]).toBe("42\n");
        const stop = new AbortController();
        const running = on(
          sshd,
          "ssh.executeCommand",
          { command: "sleep 300 & echo $! > pid; wait" },
          { signal: stop.signal },
        );
        const pid = await pidIn(join(sshd.home, "pid"));
        stop.abort();
        expect(failureOf(await running).message).toContain("was ended");
        expect(isRunning(pid)).toBe(false);
        expect(await readdir(sshd.temporary)).toEqual([]);
      } finally {
        await sshd.stop();
        await rm(programs, { recursive: true });
      }
    });
  }
});
