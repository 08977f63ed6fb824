import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { eventually } from "../../support/eventually.ts";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

/** Each start of the service loads an executable of 120 MB. */
setDefaultTimeout(120_000);

const OTHER_USER = "65534";
const UNIT = "bellhop-agent";

describe.skipIf(systemdMissing !== null)(`doctor on an installed service ${systemdMissing ?? ""}`, () => {
  let machine: ServiceMachine;
  beforeAll(async () => {
    machine = await ServiceMachine.start();
    const { stderr, exitCode } = await machine.install();
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  });
  afterAll(() => machine.stop());

  const path = (name: string) => machine.systemd.path(name);
  const doctor = () => machine.agent(["doctor"], { installed: true });
  const connected = () =>
    eventually("the agent is connected", async () => {
      const { stdout } = await machine.agent(["service", "status"], { installed: true });
      return stdout.includes("connected") ? stdout : null;
    });
  const restart = async () => {
    await machine.systemd.systemctl("daemon-reload");
    await machine.systemd.systemctl("restart", UNIT);
    await connected();
  };

  test("passes: jobs are isolated, their socket listens, and only the agent can change its files", async () => {
    expect(await connected()).toMatch(/^isolation +perJob: jobs run as accounts that exist for one job each$/mu);
    const { stdout, exitCode } = await doctor();
    expect(stdout).toMatch(/^ok +isolation +perJob: jobs run as accounts that exist for one job each\.$/mu);
    expect(stdout).toMatch(/^ok +job socket +100 of bellhop-job@\.socket listen; /mu);
    expect(stdout).toMatch(/^ok +files +.* belong to root or bellhop-agent, and no other account can change them\.$/mu);
    expect(exitCode).toBe(0);
  });

  test("fails for a drop-in of the job unit and a state directory that jobs can write", async () => {
    const dropIns = "/etc/systemd/system/bellhop-job@.service.d";
    await mkdir(path(dropIns));
    await writeFile(path(`${dropIns}/mine.conf`), "[Service]\nNice=5\n");
    await chmod(path(`${dropIns}/mine.conf`), 0o666);
    await machine.systemd.systemctl("daemon-reload");
    await machine.systemd.run(["chgrp", "bellhop-job", "/var/lib/bellhop-agent"]);
    await machine.systemd.run(["chmod", "0770", "/var/lib/bellhop-agent"]);
    const { stdout, exitCode } = await doctor();
    // doctor prints this machine's path of /etc/systemd/system.
    expect(stdout).toMatch(
      /^fail +files +\/\S+\/bellhop-job@\.service\.d\/mine\.conf can be changed by every account/mu,
    );
    expect(stdout).toMatch(/^fail +files +\/var\/lib\/bellhop-agent can be changed by the group bellhop-job/mu);
    expect(exitCode).toBe(1);
    await rm(path(dropIns), { recursive: true });
    await machine.systemd.run(["chmod", "0700", "/var/lib/bellhop-agent"]);
    await restart();
  });

  test("reports sockets that do not listen, with the command that starts them", async () => {
    await machine.systemd.systemctl("stop", "bellhop-job@7.socket");
    expect((await doctor()).stdout).toMatch(/^warn +job socket +1 of 100 .* bellhop-job@7\.socket \(inactive\)/mu);
    await machine.systemd.systemctl("stop", "bellhop-job@*.socket");
    const { stdout, exitCode } = await doctor();
    expect(stdout).toMatch(
      /^fail +job socket +all of bellhop-job@\.socket are inactive \(dead\): .*sudo systemctl restart bellhop-agent/mu,
    );
    expect(exitCode).toBe(1);
    await restart();
  });

  test("warns about an interpreter that jobs cannot start, with the reason", async () => {
    const script = '#!/bin/sh\nexec /usr/bin/python3 "$@"\n';
    await machine.systemd.run(["install", "-d", "-m", "0700", "/var/lib/closed"]);
    await writeFile(path("/var/lib/closed/python3"), script, { mode: 0o755 });
    const env = { PATH: "/var/lib/closed:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
    const { stdout } = await machine.agent(["doctor"], { installed: true, env });
    expect(stdout).toMatch(/^warn +python +.* jobs cannot start it: \/var\/lib\/closed is closed to them\./mu);
    expect(stdout).toMatch(/^ok +bash /mu);
  });

  test("run by another user shows public facts, and says how to see the rest", async () => {
    const as = ["setpriv", `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, "--clear-groups", "--"];
    const { stdout, stderr, exitCode } = await machine.systemd.run([...as, "/usr/local/bin/bellhop-agent", "doctor"], {
      PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^fail +configuration +\/etc\/bellhop\/agent\.env .* this user may not read it: .*sudo/mu);
    expect(stdout).toMatch(/^ok +job socket /mu);
    expect(stdout).toMatch(/^ok +files /mu);
    expect(stdout).not.toContain("AGENT_API_URL is not set");
    expect(exitCode).toBe(1);
  });

  test("warns about units of an earlier version, and says how to write the new ones", async () => {
    const dropIns = "/etc/systemd/system/bellhop-agent.service.d";
    await mkdir(path(dropIns));
    await writeFile(path(`${dropIns}/old.conf`), "[Service]\nEnvironment=\n");
    await restart();
    const { stdout } = await doctor();
    expect(stdout).toMatch(
      /^warn +isolation +none: jobs run as the agent's own account: .*, including the key in \/etc\/bellhop\/agent\.key\. Write .*sudo bellhop-agent service install\.$/mu,
    );
    expect(stdout).not.toContain("job socket");
    await rm(path(dropIns), { recursive: true });
    await restart();
  });

  test("accepts a key that is a systemd credential instead of the agent's file", async () => {
    // As on a machine that systemd booted, where other users can see the mount of a service's credentials.
    await machine.systemd.run(["mount", "--make-shared", "/run"]);
    const dropIns = "/etc/systemd/system/bellhop-agent.service.d";
    await mkdir(path(dropIns));
    await writeFile(path(`${dropIns}/key.conf`), "[Service]\nLoadCredential=agent-key:/etc/bellhop/kept.key\n");
    await rename(path("/etc/bellhop/agent.key"), path("/etc/bellhop/kept.key"));
    await machine.systemd.run(["chown", "root", "/etc/bellhop/kept.key"]);
    await machine.systemd.run([
      "sed",
      "-i",
      "s,^AGENT_API_KEY_FILE=.*,AGENT_API_KEY_FILE=/run/credentials/bellhop-agent.service/agent-key,",
      "/etc/bellhop/agent.env",
    ]);
    await restart();
    const { stdout, exitCode } = await doctor();
    expect(stdout).toMatch(/^ok +key +the service accepts AGENT_API_KEY\.$/mu);
    expect({ stdout, exitCode }).toMatchObject({ exitCode: 0 });
    // The settings contain a key already, so install neither asks for one nor writes one.
    const again = await machine.agent(["service", "install"], { installed: true });
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("nothing has changed") });
  });
});
