import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd.ts";

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
  /** Runs the commands that install said. */
  const obey = async (said: string) => {
    const command = new RegExp(`^--writable ${REPORTS}: .*: (sudo .*)$`, "mu").exec(said)?.[1] ?? "false";
    const { stderr, exitCode } = await machine.systemd.run(["sh", "-c", command.replaceAll("sudo ", "")]);
    expect({ command, stderr, exitCode }).toEqual({ command, stderr: "", exitCode: 0 });
  };
  const write = (id: string) =>
    machine.run({ id, params: { script: `umask 0007; date > ${REPORTS}/${id} && stat -c %G:%a ${REPORTS}/${id}` } });

  test("names the command that makes the directory, and jobs write there once it was run", async () => {
    await obey(await install());
    const said = await install();
    expect(said).not.toContain("--writable");
    expect((await write("job_made")).output?.["stdout"]).toBe("bellhop-job:660\n");
  });

  test("names the command that opens a directory to jobs, and changes none by itself", async () => {
    await machine.systemd.run(["sh", "-c", `chgrp root ${REPORTS} && chmod 0755 ${REPORTS}`]);
    const said = await install();
    expect(await write("job_before")).toMatchObject({ status: "failed" });
    await obey(said);
    expect((await write("job_after")).output?.["stdout"]).toBe("bellhop-job:660\n");
  });
});
