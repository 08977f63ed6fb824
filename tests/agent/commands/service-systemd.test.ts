import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { agentBundle } from "../../../scripts/release/agent-bundle.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_ENROLMENT_CODE } from "../../support/fake-enrolment.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { ServiceMachine } from "../../support/service-machine.ts";
import { testInFull } from "../../support/in-full.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

/** Each test installs an executable of 120 MB several times, and restarts it. */
setDefaultTimeout(240_000);

const UNIT_FILE = "/etc/systemd/system/bellhop-agent.service";
const ENV_FILE = "/etc/bellhop/agent.env";
const JOB_RULES = "/etc/polkit-1/rules.d/00-bellhop-job.rules";
const KEY_FILE = "/etc/bellhop/agent.key";

describe.skipIf(systemdMissing !== null)(`the service under a real systemd ${systemdMissing ?? ""}`, () => {
  let machine: ServiceMachine;
  beforeAll(async () => {
    machine = await ServiceMachine.start();
  });
  afterEach(async () => {
    await machine.agent(["service", "uninstall", "--purge"]);
    expect(existsSync(machine.systemd.path("/var/lib/bellhop-agent"))).toBe(false);
  });
  afterAll(() => machine.stop());

  const statusOf = async (pid: string) => await readFile(machine.systemd.path(`/proc/${pid}/status`), "utf8");

  test("runs after install as a dedicated user, registered, protected and closed to others", async () => {
    const { stdout, stderr, exitCode } = await machine.install();
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("made the user bellhop-agent");
    expect(stdout).toContain("registered as agt_fake");
    expect(stdout).not.toContain(FAKE_AGENT_KEY);
    // The machine's units are in /run, so systemd shows an enabled unit as enabled until the next start only.
    expect(await machine.systemd.systemctl("is-enabled", "bellhop-agent")).toStartWith("enabled");
    expect((await stat(machine.systemd.path(ENV_FILE))).mode & 0o777).toBe(0o600);
    expect((await stat(machine.systemd.path("/var/lib/bellhop-agent"))).mode & 0o777).toBe(0o700);

    const process = await statusOf(await machine.show("MainPID"));
    expect(process).toMatch(/^NoNewPrivs:\s+1$/mu);
    expect(process).toMatch(/^Seccomp:\s+2$/mu);
    expect(process).toMatch(/^CapEff:\s+0+$/mu);
    expect(process).not.toMatch(/^Uid:\s+0/mu);
    expect(await machine.text(ENV_FILE)).not.toContain(FAKE_AGENT_KEY);
    expect((await stat(machine.systemd.path(KEY_FILE))).mode & 0o777).toBe(0o400);

    const script = `
      id -un; echo "$HOME"
      touch /etc/canary 2>/dev/null || echo "etc is closed"
      touch /tmp/canary && echo "tmp is open"
      python3 -c 'import socket; print(sum(range(5)))'
      ps -e -o comm= | grep -q systemd && echo "sees processes of others"
      ls /root >/dev/null 2>&1 || echo "root is closed"`;
    const result = await machine.run({ id: "job_script", params: { script } });
    expect(result.output?.["stdout"]).toMatch(
      /^bhjob-\d+\n\/tmp\/bellhop-job-\w+\/home\netc is closed\ntmp is open\n10\nsees processes of others\nroot is closed\n$/u,
    );
    expect(existsSync("/tmp/canary")).toBe(false);
  });

  test("gets its key by an enrolment code, from a file or the environment, and a used code changes nothing", async () => {
    const env = { AGENT_API_KEY: "", BELLHOP_ENROLMENT_CODE: FAKE_ENROLMENT_CODE };
    const dry = await machine.install(["--dry-run"], env);
    expect(dry.stdout).toContain(`- write the agent's key to ${KEY_FILE} (mode 0400)`);
    await machine.systemd.run(["sh", "-c", `echo ${FAKE_ENROLMENT_CODE} >/run/enrolment-code`]);
    const { stdout, stderr, exitCode } = await machine.install(["--key-file", "/run/enrolment-code"], {
      AGENT_API_KEY: "",
    });
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("registered as agt_fake");
    expect((await machine.text(KEY_FILE)).trim()).toBe(FAKE_AGENT_KEY);
    expect(await machine.text(ENV_FILE)).not.toContain("bhe_");
    for (const secret of [FAKE_AGENT_KEY, FAKE_ENROLMENT_CODE]) expect(dry.stdout + stdout).not.toContain(secret);

    const again = await machine.install([], env);
    expect([again.exitCode, again.stderr]).toEqual([65, expect.stringContaining("was used")]);
    expect((await machine.text(KEY_FILE)).trim()).toBe(FAKE_AGENT_KEY);
    const wrong = await machine.install([], { ...env, BELLHOP_ENROLMENT_CODE: "bhe_short" });
    expect([wrong.exitCode, wrong.stderr]).toEqual([65, expect.stringContaining("BELLHOP_ENROLMENT_CODE must have")]);
  });

  testInFull(
    "is unchanged by a repeated install, follows changed settings, and keeps manual changes without --force",
    async () => {
      await machine.install();
      const pid = await machine.show("MainPID");
      const again = await machine.install();
      expect(again.stdout).toContain("runs already, and nothing has changed");
      expect(await machine.show("MainPID")).toBe(pid);

      const renamed = await machine.install([], { AGENT_NAME: "rack 7" });
      expect(renamed.stdout).toContain(`changed ${ENV_FILE}`);
      expect(renamed.stdout).not.toContain(UNIT_FILE);
      expect(await machine.show("MainPID")).not.toBe(pid);

      const unit = machine.systemd.path(UNIT_FILE);
      await writeFile(unit, (await readFile(unit, "utf8")).replace("RestartSec=5", "RestartSec=50"));
      const refused = await machine.install();
      expect(refused.exitCode).toBe(1);
      expect(refused.stderr).toContain("was changed by hand; nothing was written");
      expect(refused.stderr).toContain("  - RestartSec=50\n  + RestartSec=5\n");
      expect((await machine.install(["--force"])).exitCode).toBe(0);
      expect(await machine.text(UNIT_FILE)).toContain("RestartSec=5\n");
    },
  );

  testInFull("shows its state with status, and doctor finds its configuration", async () => {
    const none = await machine.agent(["service", "status"]);
    expect(none).toMatchObject({ exitCode: 69, stdout: "not installed: bellhop-agent service install does it\n" });
    await machine.install();
    const { stdout, exitCode } = await machine.agent(["service", "status"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^service +active \(running\) since .*, pid \d+; .*with the system/mu);
    expect(stdout).toMatch(/^agent +registered since .* as agt_fake; connected, last poll/mu);
    expect(stdout).toMatch(/^options +none$/mu);
    expect(stdout).toMatch(/^vault +\/var\/lib\/bellhop-agent\/vault\.json$/mu);
    const doctor = await machine.agent(["doctor"]);
    expect(doctor.stdout).toMatch(/^ok +configuration +from the environment and \/etc\/bellhop\/agent\.env/mu);
    expect(doctor.stdout).toMatch(/^ok +agent +an agent runs on this vault/mu);
    expect(doctor.exitCode).toBe(0);
    await machine.systemd.systemctl("stop", "bellhop-agent");
    expect((await machine.agent(["service", "status"])).exitCode).toBe(69);
  });

  testInFull("that cannot start is reported with its last log lines, and is not restarted in a loop", async () => {
    const { stdout, exitCode } = await machine.install([], { ADMIN_PORT: String(machine.service.port) });
    expect(exitCode).toBe(69);
    expect(stdout).toContain("it has ended (exit-code, exit code 78) and is not started again");
    expect(stdout).toContain(`ADMIN_PORT ${machine.service.port} on 127.0.0.1 is taken`);
    expect(await machine.show("NRestarts")).toBe("0");
  });

  test("is restarted after it is killed, and lets its job end when it is stopped", async () => {
    await machine.install();
    const pid = await machine.show("MainPID");
    expect(Number(pid)).toBeGreaterThan(1);
    await machine.systemd.run(["kill", "-KILL", pid]);
    await eventually("another process", async () => {
      const now = await machine.show("MainPID");
      return now !== "0" && now !== pid && (await machine.agent(["service", "status"])).stdout.includes("connected");
    });
    const running = machine.run({ id: "job_slow", params: { script: "sleep 2; echo done" } });
    await eventually("the job", () => machine.systemd.isRunning("sleep 2"));
    await machine.systemd.systemctl("stop", "bellhop-agent");
    expect((await running).output?.["stdout"]).toBe("done\n");
    expect(await machine.show("Result")).toBe("success");
  });

  test("lets os.* actions control the allowed units only", async () => {
    await machine.install(["--allow-os-services", "allowed"]);
    const status = await machine.agent(["service", "status"]);
    expect(status.stdout).toMatch(/^options +--allow-os-services allowed\.service$/mu);
    const job = (id: string, service: string) =>
      machine.run({
        id,
        action: "os.restartService",
        connection: { id: "con_os", type: "osService", config: {} },
        params: { service },
      });
    expect(await job("job_allowed", "allowed")).toMatchObject({ status: "succeeded" });
    expect(await machine.show("ActiveState", "allowed")).toBe("active");
    expect(await job("job_other", "other")).toMatchObject({ status: "failed", error: { code: "permission_denied" } });
    const taken = await machine.install();
    expect(taken.stdout).toContain("os.* actions can no longer control services");
    expect(await job("job_again", "allowed")).toMatchObject({ status: "failed", error: { code: "permission_denied" } });
  });

  test("does not give scripts the rights of os.* actions", async () => {
    await machine.install(["--allow-os-services", "allowed"]);
    await machine.systemd.systemctl("stop", "allowed");
    const populated = "grep populated /sys/fs/cgroup/system.slice/dbus.service/cgroup.events";
    const script = `${populated}; systemctl --no-ask-password start allowed.service`;
    const { status, output } = await machine.run({ id: "job_systemctl", params: { script } });
    expect({ status, output }).toMatchObject({
      status: "failed",
      output: { stdout: "populated 1\n", stderr: expect.stringContaining("Failed to connect to bus") },
    });
    expect(await machine.show("ActiveState", "allowed")).toBe("inactive");
  });

  testInFull("keeps vault and configuration after uninstall, and removes both with --purge", async () => {
    await machine.install();
    await eventually("the vault", () => existsSync(machine.systemd.path("/var/lib/bellhop-agent/vault.json")));
    const vault = await machine.text("/var/lib/bellhop-agent/vault.json");
    const { stdout, exitCode } = await machine.agent(["service", "uninstall"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("stopped and removed bellhop-agent.service");
    expect(stdout).toContain("kept /etc/bellhop/agent.env, /etc/bellhop/agent.key, /var/lib/bellhop-agent");
    expect(existsSync(machine.systemd.path(UNIT_FILE))).toBe(false);
    expect(stdout).toContain(`removed ${JOB_RULES}`);
    // The key and the address are in the kept configuration.
    const again = await machine.agent(["service", "install"]);
    expect(again.exitCode).toBe(0);
    expect(await machine.text("/var/lib/bellhop-agent/vault.json")).toBe(vault);
    const purged = await machine.agent(["service", "uninstall", "--purge"]);
    expect(purged.stdout).toContain("removed the user bellhop-agent\nremoved the user bellhop-job\n");
    for (const path of [UNIT_FILE, ENV_FILE, KEY_FILE, "/var/lib/bellhop-agent"]) {
      expect({ path, there: existsSync(machine.systemd.path(path)) }).toEqual({ path, there: false });
    }
    expect(await machine.text("/etc/passwd")).not.toContain("bellhop-agent");
  });

  test("cannot be installed without a key or with an unknown user, the jobs' account or a bad key file", async () => {
    const without = await machine.agent(["service", "install"], { env: { AGENT_API_URL: machine.service.url } });
    expect(without.exitCode).toBe(78);
    expect(without.stderr).toContain("AGENT_API_KEY is not set");
    expect((await machine.install(["--user", "missing-user"])).stderr).toContain("there is no user missing-user");
    expect((await machine.install(["--user", "bellhop-job"])).stderr).toContain("as the account of its jobs");
    const keyFile = join(machine.directory, "key");
    await writeFile(keyFile, "bh-canary\n", { mode: 0o600 });
    const wrong = await machine.install(["--key-file", keyFile]);
    expect(wrong.exitCode).toBe(65);
    expect(wrong.stderr).not.toContain("canary");
  });

  testInFull("runs a replaced executable after the next install, not the old one", async () => {
    await machine.install();
    const before = await machine.show("MainPID");
    // As the install script does: the process keeps running the file that was unlinked.
    await machine.systemd.run([
      "/bin/sh",
      "-c",
      "cp /usr/local/bin/bellhop-agent /usr/local/bin/.new && mv -f /usr/local/bin/.new /usr/local/bin/bellhop-agent",
    ]);
    const { stdout, exitCode } = await machine.agent(["service", "install"], { installed: true });
    expect({ stdout, exitCode }).toMatchObject({
      stdout: expect.stringContaining("is enabled and started"),
      exitCode: 0,
    });
    expect(await machine.show("MainPID")).not.toBe(before);
    expect((await machine.agent(["service", "install"], { installed: true })).stdout).toContain("nothing has changed");
  });

  testInFull("with --purge removes a vault elsewhere, and keeps other files in the same directory", async () => {
    await machine.install([], { VAULT_PATH: "/var/lib/elsewhere/agent.json" });
    await machine.systemd.run(["touch", "/var/lib/elsewhere/other"]);
    const directory = machine.systemd.path("/var/lib/elsewhere");
    await eventually("the vault", async () => (await readdir(directory)).includes("agent.json"));
    const { stdout, stderr } = await machine.agent(["service", "uninstall", "--purge"]);
    expect({ stderr, stdout }).toEqual({ stderr: "", stdout: expect.stringContaining("elsewhere/agent.json") });
    expect(await readdir(directory)).toEqual(["other"]);
  });

  test("runs the new version after update, or the previous one if the new one does not register", async () => {
    await machine.install();
    const newer = join(machine.directory, "newer");
    await build("9.0.0", newer);
    await machine.publish("9.0.0", newer);
    const updated = await machine.agent(["update", "--yes"], { env: machine.updateEnv(), installed: true });
    expect(updated).toMatchObject({ exitCode: 0, stderr: "" });
    expect(updated.stdout).toContain("version 9.0.0 is in place");
    expect(updated.stdout).toContain("bellhop-agent.service runs it, and is registered");
    expect(await machine.text("/var/lib/bellhop-agent/vault.status.json")).toContain('"version":"9.0.0"');

    const broken = join(machine.directory, "broken");
    await writeFile(broken, '#!/bin/sh\n[ "$1" = --version ] || exit 78\necho bellhop-agent 9.1.0\n', { mode: 0o755 });
    await machine.publish("9.1.0", broken);
    const failed = await machine.agent(["update", "--yes"], { env: machine.updateEnv(), installed: true });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("version 9.1.0 did not register: it has ended (exit-code, exit code 78)");
    expect(failed.stderr).toContain("Version 9.0.0 is restored and registered");

    expect((await machine.agent(["--version"], { installed: true })).stdout).toBe("bellhop-agent 9.0.0\n");

    // After an update or install script that was killed before the restart, the service still runs the earlier
    // executable.
    await machine.systemd.run([
      "/bin/sh",
      "-c",
      `cp ${machine.directory}/bellhop-agent /usr/local/bin/bellhop-agent.x`,
    ]);
    await machine.systemd.run(["mv", "/usr/local/bin/bellhop-agent.x", "/usr/local/bin/bellhop-agent"]);
    await machine.publish("0.1.0", join(machine.directory, "bellhop-agent"));
    const same = await machine.agent(["update", "--check"], {
      env: machine.updateEnv(),
      installed: true,
    });
    expect(same.stdout).toContain("bellhop-agent.service still runs version 9.0.0: restart it");
  });
});

/** The agent of these sources, built with another version number. */
async function build(version: string, path: string): Promise<void> {
  await Bun.build({
    ...agentBundle({ version, publicKey: "" }),
    compile: { outfile: path, autoloadDotenv: false, autoloadBunfig: false },
  });
}
