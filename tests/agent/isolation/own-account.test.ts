import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { selfSigned } from "../../support/certificate.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { attackJob, attackReport } from "../../support/job-attack/index.ts";
import { isRunning } from "../../support/processes.ts";
import type { AgentProcess, AgentStart } from "../agent-process.ts";

setDefaultTimeout(90_000);

const SECRET = "cAnArY-none-secret-41f7";
/** Core files go to the program's working directory, not to another program (core(5)). */
const PLAIN_CORES =
  process.platform === "linux" && !/^[|/]/u.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8"));
const WITH_CORES = ["/bin/sh", "-c", 'ulimit -c unlimited; exec "$@"', "sh"];
/** The attack's findings in an unprotected process. */
const FOUND = {
  environ: "key",
  memory: "key, secret",
  vm_readv: "key, secret",
  attach: "open",
  seize: "open",
  open_files: "secret",
  directory: "open",
};
const HOLDER = `import os, sys
kept = os.environ["CANARY_FILE"], os.environ["AGENT_API_KEY"] * 2
file = open(kept[0])
text = file.read()
print("ready", flush=True)
sys.stdin.read()`;

describe.skipIf(accountsMissing !== null)(`a job of an agent with one account ${accountsMissing ?? ""}`, () => {
  let machine: AccountAgent;
  let uid: number;
  const others: Bun.Subprocess[] = [];
  const started: AgentProcess[] = [];
  const start = async (how: AgentStart): Promise<AgentProcess> => {
    const agent = await machine.start({ ...how, wrap: WITH_CORES });
    await machine.deliver({ CANARY: SECRET });
    started.push(agent);
    return agent;
  };
  const make = async (): Promise<void> => {
    // A uid of no other process on this machine.
    uid = randomInt(100_000, 200_000);
    machine = await AccountAgent.make(uid);
  };
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(machine.home.path(name), text, { mode: 0o400 });
    await chown(machine.home.path(name), uid, uid);
    return machine.home.path(name);
  };
  const directory = async (name: string): Promise<string> => {
    await mkdir(machine.home.path(name));
    await chown(machine.home.path(name), uid, uid);
    return machine.home.path(name);
  };
  /** An unprotected process of the same account with the same canaries. */
  const startHolder = async () => {
    const env = { AGENT_API_KEY: FAKE_AGENT_KEY, CANARY_FILE: await file("holder", SECRET) };
    const as = ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
    const child = Bun.spawn([...WITH_CORES, ...as, "/usr/bin/python3", "-c", HOLDER], {
      env,
      cwd: await directory("holder-cwd"),
      stdin: "pipe",
      stdout: "pipe",
    });
    others.push(child);
    await child.stdout.getReader().read();
    return child;
  };
  afterEach(async () => {
    for (const pid of started.splice(0).flatMap((agent) => childrenOf(agent.pid))) process.kill(pid, "SIGKILL");
    for (const child of others.splice(0)) {
      child.kill("SIGKILL");
      await child.exited;
    }
    await machine.remove();
  });

  test.each<[string, () => Promise<AgentStart>]>([
    ["its key in the environment", async () => ({})],
    ["its key in a file", async () => keyIn({ AGENT_API_KEY_FILE: await file("agent.key", `${FAKE_AGENT_KEY}\n`) })],
    ["an environment file", async () => fromFile(`AGENT_API_KEY=${FAKE_AGENT_KEY}\n`)],
    [
      "an environment file with certificate authorities, which takes a second process",
      async () => {
        const { cert } = await selfSigned("DNS:bellhop.test");
        const authorities = await file("authorities.pem", cert);
        return fromFile(`AGENT_API_KEY=${FAKE_AGENT_KEY}\nNODE_EXTRA_CA_CERTS=${authorities}\n`);
      },
    ],
  ])("reads nothing from an agent that has %s, but reads the agent's files", async (_, howOf) => {
    await make();
    const how = await howOf();
    const agent = await start(how);
    expect(machine.service.registrations[0]).toMatchObject({ isolation: "none" });
    const { home } = machine;
    const pids = [agent.pid, ...childrenOf(agent.pid)];
    expect(pids.length).toBe((how.args ?? []).length > 0 && (await home.text("agent.env")).includes("CERTS") ? 2 : 1);
    const holder = await startHolder();
    const agents = { ...Object.fromEntries(pids.map((pid, index) => [`agent ${index}`, pid])), holder: holder.pid };
    const kept = ["vault.json", "vault.journal", "admin-token", "agent.key", "agent.env"].map((name) =>
      home.path(name),
    );
    const attack = attackJob({
      needles: { key: FAKE_AGENT_KEY, secret: SECRET },
      agents,
      paths: kept,
      places: [home.directory],
    });
    const report = attackReport(await machine.run(attack));
    const { holder: found, ...closed } = report.agents;
    expect(found).toMatchObject(FOUND);
    for (const probes of [...Object.values(closed), report.parent]) {
      expect(Object.entries(probes).filter(([, outcome]) => outcome !== "denied")).toEqual([["signalled", "open"]]);
    }
    expect(report.uid).toBe(uid);
    expect(report.commandLines).toEqual([]);
    expect(report.environment.filter((name) => /AGENT|TOKEN|CREDENTIAL/u.test(name))).toEqual([]);
    expect(report.descriptors).toEqual([0, 1, 2]);
    // As documented in the page about security: files of the account are open to the job.
    expect(report.paths).toMatchObject(
      Object.fromEntries([home.path("vault.json"), home.path("admin-token")].map((path) => [path, ["read", "write"]])),
    );
    const keyFiles = ["agent.key", "agent.env"].map((name) => home.path(name)).filter((path) => report.paths[path]);
    const holding = Object.fromEntries(keyFiles.map((path) => [path, "key"]));
    expect(report.searched).toEqual({ ...holding, [home.path("holder")]: "secret" });
    // Even root finds no key there.
    for (const pid of pids) expect(await readFile(`/proc/${pid}/environ`, "latin1")).not.toContain(FAKE_AGENT_KEY);
  });

  test.each(["SEGV", "ABRT", "QUIT"])("gets no core dump of the agent by SIG%s", async (signal) => {
    await make();
    const agent = await start({});
    const holder = await startHolder();
    machine.service.enqueue({ params: { script: `kill -${signal} ${holder.pid} ${agent.pid}` } });
    await eventually("the end of both", () => !isRunning(agent.pid) && !isRunning(holder.pid));
    await Promise.all([agent.exited, holder.exited]);
    const coresIn = async (path: string) => (await readdir(path)).filter((name) => name.startsWith("core"));
    expect(await coresIn(machine.home.directory)).toEqual([]);
    if (PLAIN_CORES) expect(await coresIn(machine.home.path("holder-cwd"))).toHaveLength(1);
  });

  test("cannot make the agent delete files behind links that replace the job's directories", async () => {
    await make();
    const agent = await start({});
    const victim = await directory("victim");
    await file("victim/kept", "kept");
    const own = 'own=$(dirname "$PWD")';
    const replaced = [
      `rmdir "$PWD" && ln -s ${victim} "$PWD"`,
      `${own}; mv "$own" "$own-moved" && ln -s ${victim} "$own"`,
      `all=$(dirname "$(dirname "$PWD")"); mv "$all" "$all-moved" && ln -s ${victim} "$all"`,
    ];
    for (const script of replaced)
      expect(await machine.run({ params: { script } })).toMatchObject({ status: "succeeded" });
    agent.kill("SIGTERM");
    await agent.exited;
    await machine.start();
    expect(await machine.run({ params: { script: "true" } })).toMatchObject({ status: "succeeded" });
    expect(await readdir(victim)).toContain("kept");
  });

  const keyIn = (env: Record<string, string>): AgentStart => ({ env: { AGENT_API_KEY: "", ...env } });
  const fromFile = async (text: string): Promise<AgentStart> => ({
    ...keyIn({}),
    args: ["run", "--env-file", await file("agent.env", text)],
  });
});

function childrenOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  return existsSync(path) ? readFileSync(path, "utf8").trim().split(" ").filter(Boolean).map(Number) : [];
}
