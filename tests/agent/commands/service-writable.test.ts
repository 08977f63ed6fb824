import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

/** Each install copies and starts an executable of 120 MB. */
setDefaultTimeout(120_000);

const REPORTS = "/var/lib/reports";

describe.skipIf(systemdMissing !== null)(`--writable ${systemdMissing ?? ""}`, () => {
  let machine: ServiceMachine;
  beforeAll(async () => {
    machine = await ServiceMachine.start();
  });
  afterAll(() => machine.stop());

  const install = async () => {
    const { stdout, exitCode } = await machine.install(["--writable", REPORTS]);
    expect(exitCode).toBe(0);
    return stdout;
  };
  /** Runs the commands that install printed. */
  const obey = async (said: string) => {
    const command = new RegExp(`^--writable ${REPORTS}: .*: (sudo .*)$`, "mu").exec(said)?.[1] ?? "false";
    const { stderr, exitCode } = await machine.systemd.run(["sh", "-c", command.replaceAll("sudo ", "")]);
    expect({ command, stderr, exitCode }).toEqual({ command, stderr: "", exitCode: 0 });
  };
  const write = (id: string) =>
    machine.run({ id, params: { script: `umask 0007; date > ${REPORTS}/${id} && stat -c %G:%a ${REPORTS}/${id}` } });

  test("prints the command that makes the directory; after that command, jobs can write there", async () => {
    await obey(await install());
    const said = await install();
    expect(said).not.toContain("--writable");
    const { stdout } = await machine.agent(["service", "status"], { installed: true });
    expect(stdout).toMatch(new RegExp(`^options +--writable ${REPORTS}$`, "mu"));
    expect((await write("job_made")).output?.["stdout"]).toBe("bellhop-job:660\n");
  });

  test("prints the command that opens a closed parent directory; after that command, jobs can write below it", async () => {
    await machine.systemd.run(["sh", "-c", `install -d -m 0700 /var/lib/closed && mv ${REPORTS} /var/lib/closed/`]);
    const below = "/var/lib/closed/reports";
    const { stdout } = await machine.install(["--writable", below]);
    expect(stdout).toContain(`--writable ${below}: jobs may not enter /var/lib/closed.`);
    const write = (id: string) => machine.run({ id, params: { script: `date > ${below}/${id}` } });
    expect(await write("job_closed")).toMatchObject({ status: "failed" });
    await machine.systemd.run(["sh", "-c", /Allow it: sudo (.*)$/mu.exec(stdout)?.[1] ?? "false"]);
    expect(await write("job_open")).toMatchObject({ status: "succeeded" });
    expect((await machine.install(["--writable", below])).stdout).not.toContain("--writable");
    await machine.systemd.run(["mv", below, REPORTS]);
  });

  test("prints the command that opens a directory to jobs, and does not run it", async () => {
    await machine.systemd.run(["sh", "-c", `chgrp root ${REPORTS} && chmod 0755 ${REPORTS}`]);
    const said = await install();
    expect(await write("job_before")).toMatchObject({ status: "failed" });
    await obey(said);
    expect((await write("job_after")).output?.["stdout"]).toBe("bellhop-job:660\n");
  });
});
