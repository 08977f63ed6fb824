import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, type TestJob, textOf } from "../support/executor-context.ts";
import { hostileValuesFor } from "../support/hostile-values.ts";
import { onAnyCommandLine } from "../support/processes.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing, sshdPasswordMissing, type SshdOptions } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of values over SSH are skipped: ${sshdMissing}.`);

const PROGRAMS = ["sh", "mkdir", "cat", "rm", "touch", "env", "setsid"];
const CONTEXT = "00-01987a3b1c2d7e4f8a5b0123456789ab-8a5b0123456789ab-01";
/** Linux limits `NAME=value` with its NUL to 128 KiB. */
const LARGEST = 128 * 1_024 - "LARGEST=\0".length;

let key: TestKey;
beforeAll(async () => {
  key = await makeKey();
});

function job(sshd: Sshd, more: TestJob): TestJob {
  const { host, port, username } = sshd;
  return {
    config: { host, port, username, authMethod: "privateKey" },
    secrets: { privateKey: key.privateKey },
    ...more,
  };
}

async function start(options: SshdOptions): Promise<Sshd> {
  const sshd = await Sshd.start(options);
  await sshd.authorize(key.publicKey);
  return sshd;
}

describe.skipIf(sshdMissing !== null)("the values of a script on an SSH host", () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await start({});
  });
  afterAll(() => sshd.stop());

  const command = (text: string, more: TestJob) =>
    runAction("ssh", "ssh.executeCommand", job(sshd, { ...more, params: { command: text, ...more.params } }));
  const python = (script: string, more: TestJob) =>
    runAction("ssh", "ssh.executeScript", job(sshd, { ...more, params: { script, interpreter: "python3" } }));

  test("arrive byte for byte, up to the largest size on Linux, and none of them is executed", async () => {
    const canary = join(sshd.home, "executed");
    const values = {
      ...hostileValuesFor(canary),
      BELLHOP_VALUE_1: "of an older service",
      PROGRAM: `'\n}\n) ; touch ${canary}; exit 0\n`,
      MARK: `\nbellhop-${"0".repeat(32)} !env\nbellhop_mark='x'\nbellhop_fail env\n`,
      LARGEST: `'"$(touch ${canary})\n`.repeat(LARGEST).slice(0, LARGEST),
    };
    const script = "import hashlib, os\nfor n, v in os.environb.items(): print(n.decode(), hashlib.md5(v).hexdigest())";
    const lines = textOf(outputOf(await python(script, { values })), "stdout").split("\n");
    const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("hex");
    for (const [name, value] of Object.entries(values)) expect(lines).toContain(`${name} ${md5(value)}`);
    expect(existsSync(canary)).toBe(false);
  });

  test("are beside the trace context of the job, unless one has its name", async () => {
    const traceparent = CONTEXT;
    const shown = async (more: TestJob) => (await command('echo "${TRACEPARENT-unset}"', more)).output?.["stdout"];
    expect(await shown({ traceparent })).toBe(`${traceparent}\n`);
    expect(await shown({ traceparent, values: { TRACEPARENT: "mine" } })).toBe("mine\n");
    expect(await shown({})).toBe("unset\n");
  });

  test("override env in the parameters, and the secret of the same name", async () => {
    const { output } = await command('echo "$ONE $TWO $THREE"', {
      params: { env: { ONE: "env", TWO: "env" } },
      scriptSecrets: { TWO: "secret", THREE: "secret" },
      values: { ONE: "value" },
    });
    expect(output?.["stdout"]).toBe("value env secret\n");
  });

  test("such as PATH, HOME and TMPDIR affect the script only", async () => {
    const values = { PATH: "/no/programs", HOME: "/no/home", TMPDIR: "/no/place" };
    const outcome = await command('echo "$PATH $HOME $TMPDIR"', { values: { ...values, PATH: "/bin" } });
    expect(outcome.output?.["stdout"]).toBe("/bin /no/home /no/place\n");
    expect(failureOf(await command("true", { values })).code).toBe("interpreter_missing");
    expect(await readdir(sshd.temporary)).toEqual([]);
  });

  test("are on no command line while the script runs, and neither are their names", async () => {
    const stop = new AbortController();
    const values = { NAME_OF_0NE: "value-0f-one" };
    const running = command("touch ready; sleep 60.125", { values, signal: stop.signal });
    await eventually("the script to begin", () => existsSync(join(sshd.home, "ready")));
    await eventually("the last command to run", () => onAnyCommandLine("sleep 60.125"));
    expect(["value-0f-one", "NAME_OF_0NE"].filter(onAnyCommandLine)).toEqual([]);
    stop.abort();
    await running;
  });

  test.each([
    ["a NUL", { NUL: "a\0b" }, "value_not_representable"],
    ["half a character", { HALF: "\ud83d" }, "value_not_representable"],
    ["one byte too many", { LARGEST: "x".repeat(LARGEST + 1) }, "value_too_large"],
    ["an invalid name", { "A-B": "x" }, "invalid_params"],
    ["a name of the remote program", { bellhop_dir: "x" }, "env_unsupported"],
    ["a name that sh sets itself", { PWD: "x" }, "env_unsupported"],
    ["a name whose value bash evaluates", { RANDOM: "a[$(touch ran)]" }, "env_unsupported"],
  ])("are refused before anything is sent: %s", async (_, values, code) => {
    const failure = failureOf(await command("touch ran", { values }));
    expect(failure).toMatchObject({ code, message: expect.stringContaining(Object.keys(values)[0] ?? "") });
    expect(existsSync(join(sshd.home, "ran"))).toBe(false);
  });
});

describe.skipIf(sshdPasswordMissing !== null)("a script on an SSH host that cannot pass values", () => {
  /** Runs `touch ran` with values on a host whose PATH has these programs. */
  async function runWith(programs: Record<string, string>, values: Record<string, string>) {
    const path = await mkdtemp(join(tmpdir(), "bellhop-programs-"));
    await chmod(path, 0o755);
    for (const name of PROGRAMS) {
      const text = programs[name];
      if (text === undefined || text.startsWith("/")) {
        await symlink(text ?? Bun.which(name) ?? name, join(path, name));
      } else await writeFile(join(path, name), text, { mode: 0o755 });
    }
    const sshd = await start({ environment: { PATH: path }, shell: "/bin/dash" });
    try {
      const outcome = await runAction(
        "ssh",
        "ssh.executeCommand",
        job(sshd, { params: { command: "touch ran" }, values, traceparent: CONTEXT }),
      );
      const left = [...(await readdir(sshd.temporary)), ...(await readdir(sshd.home))];
      return { outcome, left };
    } finally {
      await sshd.stop();
      await rm(path, { recursive: true });
    }
  }

  const READ_ONLY =
    '#!/bin/dash\n[ $# -gt 0 ] && exec /bin/dash "$@"\nreadonly KEPT=here TRACEPARENT=here\neval "$(cat)"\n';
  const DROPPING = `#!/bin/sh\nexec env -u DROPPED ${Bun.which("setsid")} "$@"\n`;
  test.each([
    ["whose shell makes the name read-only", { sh: READ_ONLY }, "KEPT"],
    ["whose sh is bash, which has the name as read-only", { sh: "/bin/bash" }, "UID"],
    ["where a program drops the name", { setsid: DROPPING }, "DROPPED"],
  ])("%s: fails before it begins, and leaves no file", async (_, programs, name) => {
    const { outcome, left } = await runWith(programs, { [name]: "value", OTHER: "x" });
    expect(outcome).toMatchObject({ status: "failed", output: null, error: { code: "env_unsupported" } });
    expect(failureOf(outcome).message).toContain(`(${name}, OTHER)`);
    expect(left).toEqual([]);
    // The same host runs a script without that value, also where the trace context cannot be set.
    const fine = await runWith(programs, { OTHER: "x" });
    expect([fine.outcome.status, fine.left]).toEqual(["succeeded", ["ran"]]);
  });

  test.each<[string, SshdOptions]>([
    ["runs another command instead of sh", { config: ["ForceCommand cat"] }],
    ["lets the account run no commands", { shell: "/usr/sbin/nologin" }],
    ["opens no session", { config: ["MaxSessions 0"] }],
  ])("because the host %s: has the error env_unsupported only with values", async (_, options) => {
    const sshd = await start(options);
    try {
      const code = async (values: Record<string, string>) =>
        failureOf(await runAction("ssh", "ssh.executeCommand", job(sshd, { params: { command: "true" }, values })))
          .code;
      expect([await code({ A: "x" }), await code({})]).toEqual(["env_unsupported", "remote_shell_failed"]);
    } finally {
      await sshd.stop();
    }
  });
});
