import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { debianPeer } from "../../support/debian-peer.ts";
import { eventually } from "../../support/eventually.ts";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

setDefaultTimeout(120_000);

const missing = systemdMissing ?? debianPeer("/usr/bin/sudo", "sudo");
const RULE = "bellhop-job ALL=(root) NOPASSWD: /usr/bin/id";
const EVERYTHING = "bellhop-job ALL=(ALL:ALL) NOPASSWD: ALL";

const JOB_RULES = "/etc/polkit-1/rules.d/00-bellhop-job.rules";
const LOGIND = `[Service]
Type=dbus
BusName=org.freedesktop.login1
ExecStart=/lib/systemd/systemd-logind
`;

describe.skipIf(missing !== null)(`jobs that may use sudo ${missing ?? ""}`, () => {
  let machine: ServiceMachine;
  let count = 0;
  const sh = async (script: string) => (await machine.systemd.run(["/bin/sh", "-c", script])).stdout;
  const run = async (script: string) => {
    const { output } = await machine.run({ id: `job_${++count}`, params: { script } });
    return String(output?.["stdout"]);
  };
  const withRule = async (rule: string) => {
    const before = await machine.registration();
    await sh(
      `printf '%b\\n' '${rule}' > /etc/sudoers.d/bellhop && chmod 0440 /etc/sudoers.d/bellhop && systemctl restart bellhop-agent`,
    );
    return eventually("the new registration", async () => {
      const now = await machine.registration();
      return now.instanceId === before.instanceId ? null : now;
    });
  };
  beforeAll(async () => {
    machine = await ServiceMachine.start();
    await machine.systemd.install({ "dbus-org.freedesktop.login1.service": LOGIND });
    const { stderr, exitCode } = await machine.install(["--allow-sudo"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });
  afterAll(() => machine.stop());

  test("run as bellhop-job, and the sudo rules of that account apply", async () => {
    expect(await withRule(RULE)).toMatchObject({ isolation: "account" });
    expect(
      await run("id -un; sudo -n /usr/bin/id -u; sudo -n /usr/bin/cat /etc/bellhop/agent.key || echo refused"),
    ).toBe("bellhop-job\n0\nrefused\n");
  });

  test("have isolation account, unless sudo allows them everything", async () => {
    expect(await withRule(EVERYTHING)).toMatchObject({
      isolation: "none",
      isolationReason: expect.stringContaining("sudo lets the account of jobs do everything"),
    });
    expect(await withRule("bellhop-job ALL=(bellhop-agent) NOPASSWD: ALL")).toMatchObject({ isolation: "none" });
  });

  test("have isolation none where sudo wraps its list or does not show it", async () => {
    const restarts = ["one", "two"].map((name) => `/usr/bin/systemctl restart a-service-with-a-long-name-${name}`);
    const wrapped = await withRule(`bellhop-job ALL=(root) NOPASSWD: ${restarts.join(", ")}, ALL`);
    expect(wrapped).toMatchObject({ isolation: "none" });
    const silent = await withRule(`Defaults listpw=always\n${EVERYTHING}`);
    expect(silent).toMatchObject({
      isolation: "none",
      isolationReason: expect.stringContaining("sudo does not list"),
    });
    expect(await withRule("daemon ALL=(root) NOPASSWD: /usr/bin/id")).toMatchObject({ isolation: "account" });
  });

  test("have isolation none where sudo does not answer", async () => {
    const sudo = "/usr/local/bin/sudo";
    await sh(`printf '#!/bin/sh\\nexec sleep 60\\n' > ${sudo} && chmod 755 ${sudo}`);
    expect(await withRule(RULE)).toMatchObject({ isolation: "none" });
    await sh(`rm ${sudo}`);
    expect(await withRule(RULE)).toMatchObject({ isolation: "account" });
  });

  test("cannot read the agent, which itself has no sudo", async () => {
    await withRule(RULE);
    const agent = await sh("cat /proc/$(systemctl show -p MainPID --value bellhop-agent)/status");
    expect(agent).toMatch(/^NoNewPrivs:\s+1$/mu);
    const look = [
      "/proc/$A/environ",
      "/proc/$A/maps",
      "/etc/bellhop/agent.key",
      "/etc/bellhop/agent.env",
      "/var/lib/bellhop-agent/*",
    ];
    const script = `A=$(systemctl show -p MainPID --value bellhop-agent); test -d /proc/$A || exit 1
      for path in ${look.join(" ")}; do cat $path > /dev/null 2>&1 && echo "read $path"; done; ls /proc/$A/fd 2>&1 | grep -c denied
      kill -0 $A 2>/dev/null && echo signalled; test -w /run/bellhop-job/1.socket && echo connected; grep Cap[EPIA] /proc/self/status`;
    expect(await run(script)).toMatch(/^1\n(?:Cap\w+:\t0{16}\n){4}$/u);
  });

  test("may ask systemd for a unit's state, but polkit denies them everything that would outlive them", async () => {
    await withRule(RULE);
    const script = `systemctl is-active dbus; loginctl enable-linger bellhop-job 2>&1; systemctl --no-ask-password start allowed 2>&1`;
    const said = await run(script);
    expect(said).toStartWith("active\n");
    expect(said).toMatch(/Could not enable linger: (?:Access denied|Permission denied|Interactive authentication)/u);
    expect(await machine.show("ActiveState", "allowed")).toBe("inactive");
    const lingers = () => existsSync(machine.systemd.path("/var/lib/systemd/linger/bellhop-job"));
    expect(lingers()).toBe(false);
    // Without the rule, logind allows lingering for every account.
    await sh(`rm ${JOB_RULES} && systemctl restart polkit`);
    await run("loginctl enable-linger bellhop-job");
    expect(lingers()).toBe(true);
    await sh("loginctl disable-linger bellhop-job");
  });

  test("leave no process, except those that they made root's", async () => {
    const token = `sleep 3153.${process.pid}`;
    expect(
      await run(`env -i setsid sh -c 'trap "" TERM; exec ${token}' < /dev/null > /dev/null 2>&1 &
      until pgrep -x -f '${token}' > /dev/null; do sleep 0.02; done; echo left`),
    ).toBe("left\n");
    await eventually("its end", () => !machine.systemd.isRunning(token));
  });
});
