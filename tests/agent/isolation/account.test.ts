import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { chmod, copyFile, readlink, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { takeJobAccount } from "../../../agent/isolation/job-accounts.ts";
import { JOB_COMMAND } from "../../../agent/programs/job-process.ts";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { attackJob, attackReport } from "../../support/job-attack/index.ts";
import { ENDS, leaving } from "../../support/leftovers.ts";
import { onAnyCommandLine } from "../../support/processes.ts";
import type { AgentProcess } from "../agent-process.ts";

setDefaultTimeout(90_000);

const SECRET = "cAnArY-account-secret-90ac";

describe.skipIf(accountsMissing !== null)(`a job of an agent that root started ${accountsMissing ?? ""}`, () => {
  let machine: AccountAgent;
  let agent: AgentProcess;
  beforeAll(async () => {
    machine = await AccountAgent.make();
    agent = await machine.start();
    await machine.deliver({ CANARY: SECRET });
  });
  afterAll(() => machine.remove());

  test("runs under an account of no other process, and the agent reports that", async () => {
    expect(machine.service.registrations[0]).toMatchObject({ isolation: "account" });
    const jobs = ["job_uid_1", "job_uid_2"].map((id) => machine.run({ id, params: { script: "id -u; sleep 0.5" } }));
    const uids = (await Promise.all(jobs)).map(({ output }) => Number(output?.["stdout"]));
    expect(new Set(uids).size).toBe(2);
    for (const uid of uids) expect(uid).toBeWithin(60_706, 61_184);
  });

  test("has no readable key: an agent with such a key file does not start, and says what to do", async () => {
    const other = await AccountAgent.make();
    try {
      const keyFile = join(other.directory, "agent.key");
      await writeFile(keyFile, `${FAKE_AGENT_KEY}\n`);
      const run = (env: Record<string, string>) =>
        other.home.start(other.service.url, {
          env: { AGENT_API_KEY: "", AGENT_API_KEY_FILE: keyFile, JOB_USER: "", ...env },
          executable: other.executable,
        });
      await chmod(keyFile, 0o644);
      const refused = await run({});
      expect(await refused.exited).toBe(78);
      expect(refused.log()).toContain(
        `${keyFile} holds the agent's key and can be read by others (mode 0644), so jobs could read it: close it: sudo chmod 400 ${keyFile}`,
      );
      expect(other.service.registrations).toEqual([]);
      await chmod(keyFile, 0o400);
      await run({});
      await eventually("the registration", () => other.service.registrations.length === 1);
    } finally {
      await other.remove();
    }
  });

  test("finds nothing of the agent's, and cannot affect it", async () => {
    const { home, directory } = machine;
    const program = join(directory, "setuid-id");
    await copyFile("/usr/bin/id", program);
    await chmod(program, 0o4755);
    const vault = await home.text("vault.json");
    const adminToken = (await home.text("admin-token")).trim();
    const report = attackReport(
      await machine.run(
        attackJob({
          needles: { key: FAKE_AGENT_KEY, secret: SECRET, adminToken },
          agents: { agent: agent.pid },
          paths: [
            ...["vault.json", "vault.journal", "admin-token", "core"].map((name) => home.path(name)),
            machine.executable,
          ],
          places: [home.directory, directory],
          setuidPrograms: [program],
        }),
      ),
    );
    expect(new Set(Object.values(report.agents["agent"] ?? {}))).toEqual(new Set(["denied"]));
    expect(Object.entries(report.parent).filter(([, outcome]) => outcome !== "denied")).toEqual([
      ["signalled", "open"],
    ]);
    expect(report.control).toMatchObject({ environ: "control", memory: "control", open_files: "control" });
    expect(report.environment.filter((name) => /AGENT|TOKEN|CREDENTIAL/u.test(name))).toEqual([]);
    expect(report.descriptors).toEqual([0, 1, 2]);
    expect(report.groups.filter((gid) => gid !== report.uid)).toEqual([]);
    expect(report.paths).toEqual({ [machine.executable]: ["read"] });
    expect(report.parents).toEqual(["/tmp"]);
    expect(report.searched).toEqual({});
    expect(report.hardLinks).toEqual([]);
    expect(new Set(Object.values(report.capabilities))).toEqual(new Set(["0".repeat(16), "1"]));
    expect(report.capabilities["NoNewPrivs"]).toBe("1");
    // Whether a job may create namespaces depends on the machine.
    expect(report.systemCalls.filter((name) => name !== "unshare")).toEqual([]);
    expect(report.setuid.ran_as).toEqual([String(report.uid)]);
    expect(await home.text("vault.json")).toBe(vault);
  });

  test("finds nothing of another running job", async () => {
    const canary = "cAnArY-other-job-77d3";
    const script = `printf %s "$CANARY" > kept; exec 9< kept; exec -a victim sleep 31.${process.pid}`;
    const { id } = machine.service.enqueue({ params: { script }, values: { CANARY: canary } });
    const [victim = 0] = await eventually("the other job", () => nonEmpty(pidsWith(`victim 31.${process.pid}`)));
    const directory = await readlink(`/proc/${victim}/cwd`);
    const attack = attackJob({
      needles: { canary },
      agents: { victim },
      paths: [join(directory, "kept")],
      places: [dirname(directory)],
    });
    const report = attackReport(await machine.run(attack));
    expect(new Set(Object.values(report.agents["victim"] ?? {}))).toEqual(new Set(["denied"]));
    expect(report).toMatchObject({ paths: {}, searched: {}, commandLines: [] });
    machine.service.cancel(id);
    expect((await machine.resultOf(id)).status).toBe("cancelled");
  });

  test.each([...ENDS, ["that stops its parent process", "kill -STOP $PPID; sleep 300", "cancelled"] as const])(
    "%s leaves no process",
    async (_, end, status) => {
      const { script, tokens } = leaving();
      const timeoutSeconds = status === "timed_out" ? 3 : 60;
      const { id } = machine.service.enqueue({ params: { script: `${script}\n${end}` }, timeoutSeconds });
      if (status === "cancelled") {
        await eventually("what it leaves", () => tokens.every(onAnyCommandLine));
        machine.service.cancel(id);
      }
      expect((await machine.resultOf(id)).status).toBe(status);
      await eventually("its processes to be gone", () => !tokens.some(onAnyCommandLine));
    },
  );

  test("that kills every process of its account in a loop leaves no process", async () => {
    const token = `hunter-${process.pid}`;
    const script = `import os
if os.fork() == 0:
    os.setsid()
    os.execvpe("python3", ["python3", "-c", """import os
while True:
    try: os.kill(-1, 9)
    except OSError: pass""", "${token}"], {"PATH": "/usr/bin:/bin"})
os.waitpid(-1, 0)`;
    const { id } = machine.service.enqueue({ action: "script.python", params: { script } });
    expect((await machine.resultOf(id)).status).toBe("failed");
    await eventually("its processes to be gone", () => !onAnyCommandLine(token));
  });

  test("finds no kernel keys of an earlier job with the same uid", async () => {
    const { uid, release } = await takeJobAccount();
    const keyctl = process.arch === "arm64" ? 219 : 250;
    const script = `import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
persistent = libc.syscall(${keyctl}, 22, -1, -2)
for ring in [-5, -4, persistent]:
    print(libc.syscall(${keyctl}, 10, ring, b"user", b"kept", 0) > 0)
    libc.syscall(${keyctl - 2}, b"user", b"kept", b"ticket", 6, ring)`;
    const as = (...command: string[]) =>
      Bun.spawnSync(["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--", ...command]);
    const look = () => as("/usr/bin/python3", "-c", script).stdout.toString();
    expect(look()).toBe("False\nFalse\nFalse\n");
    // A kernel or container without keyrings has no keys to find.
    const hasKeyrings = look() === "True\nTrue\nTrue\n";
    if (!hasKeyrings) console.warn("there are no keyrings here");
    expect(as(machine.executable, JOB_COMMAND).exitCode).toBe(0);
    expect(look()).toBe("False\nFalse\nFalse\n");
    expect(as(machine.executable, JOB_COMMAND).exitCode).toBe(0);
    await release();
  });

  test("that kills its parent process leaves no file, even in deep or closed directories", async () => {
    const token = `left-${crypto.randomUUID()}`;
    const script = `import os, signal
os.chdir("/tmp")
os.mkdir("${token}")
os.chmod("${token}", 0o777)
os.chdir("${token}")
os.symlink("/etc", "link")
open(b"no-utf8-\\xff", "x").close()
for depth in range(2000):
    os.mkdir("deep")
    open("kept", "x").close()
    os.chdir("deep")
os.chdir("/tmp/${token}")
os.chmod("deep/deep", 0)
os.chmod("deep", 0)
for place in ["/var/tmp", "/dev/shm", os.environ["HOME"]]:
    open(place + "/${token}", "x").close()
os.kill(os.getppid(), signal.SIGKILL)`;
    const { id } = machine.service.enqueue({ action: "script.python", params: { script } });
    expect((await machine.resultOf(id)).output).toMatchObject({ exitCode: 137 });
    const find = ["find", "/tmp", "/var/tmp", "/dev/shm", "-name", token];
    await eventually("its files to be gone", () => Bun.spawnSync(find).stdout.length === 0);
    expect((await stat("/etc")).isDirectory()).toBe(true);
  });

  test("that was running when its agent was killed leaves no process", async () => {
    const { script, tokens } = leaving();
    const { id } = machine.service.enqueue({ params: { script: `${script}\nsleep 300` } });
    await eventually("what it leaves", () => tokens.every(onAnyCommandLine));
    agent.kill("SIGKILL");
    await agent.exited;
    await eventually("its processes to be gone", () => !tokens.some(onAnyCommandLine));
    agent = await machine.start();
    expect((await machine.resultOf(id)).status).toBe("interrupted");
  });
});

function pidsWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name) && commandLine(name) === text)
    .map(Number);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

function nonEmpty<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}
