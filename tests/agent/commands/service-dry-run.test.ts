import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

/** Each start loads an executable of 120 MB. */
setDefaultTimeout(120_000);

const UNIT_FILE = "/etc/systemd/system/bellhop-agent.service";
const ENV_FILE = "/etc/bellhop/agent.env";
const KEY_FILE = "/etc/bellhop/agent.key";

describe.skipIf(systemdMissing !== null)(`service install --dry-run ${systemdMissing ?? ""}`, () => {
  let machine: ServiceMachine;
  beforeAll(async () => {
    machine = await ServiceMachine.start();
  });
  afterAll(() => machine.stop());

  test("shows the files that it would write, without the key, and writes nothing", async () => {
    const { stdout, exitCode } = await machine.install(["--dry-run"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`- write ${UNIT_FILE} (mode 0644)\n`);
    expect(stdout.indexOf("ExecStart=")).toBeGreaterThan(stdout.indexOf("- systemctl daemon-reload"));
    expect(stdout).toContain("- make the user bellhop-agent");
    expect(stdout).toContain(`- write the agent's key to ${KEY_FILE} (mode 0400)`);
    expect(stdout).not.toContain(FAKE_AGENT_KEY);
    expect(stdout).toContain("    Wants=bellhop-job@1.socket … bellhop-job@100.socket\n");
    expect(stdout).toContain("/bellhop-agent.service, with the list of 100 sockets abbreviated here:\n");
    expect(stdout).not.toContain("bellhop-job@2.socket");
    for (const path of [UNIT_FILE, ENV_FILE, KEY_FILE]) expect(existsSync(machine.systemd.path(path))).toBe(false);
  });

  test("needs no key and no address, and says that both are missing", async () => {
    const { stdout, stderr, exitCode } = await machine.agent(["service", "install", "--dry-run"]);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toStartWith("Still missing: the deployment's address (--url) and the agent's key (--key-file,");
    expect(stdout).toContain("AGENT_API_KEY_FILE=/etc/bellhop/agent.key");
  });

  test.each([
    ["/root/bellhop-agent", "0755", true],
    ["/srv/closed/bellhop-agent", "0700", true],
    ["/srv/group/bellhop-agent", "0775", true],
    ["/srv/open/bellhop-agent", "0755", false],
  ])("with an executable %s in a folder of mode %s copies it: %p", async (path, mode, isCopied) => {
    const place = `mount -t tmpfs -o mode=755 tmpfs /${path.split("/")[1]} && install -d -m ${mode} $(dirname ${path})`;
    await machine.systemd.run(["sh", "-c", `${place} && cp ${machine.directory}/bellhop-agent ${path}`]);
    const env = { AGENT_API_URL: machine.service.url, AGENT_API_KEY: FAKE_AGENT_KEY, PATH: "/usr/sbin:/usr/bin" };
    const { stdout, stderr } = await machine.systemd.run([path, "service", "install", "--dry-run"], env);
    expect(stderr).toBe("");
    expect(stdout.includes(`- copy ${path} to /usr/local/bin/bellhop-agent`)).toBe(isCopied);
    expect(stdout).toContain(`ExecStart=${isCopied ? "/usr/local/bin/bellhop-agent" : path} run`);
    await machine.systemd.run(["umount", `/${path.split("/")[1]}`]);
  });
});
