import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { Systemd, systemdMissing } from "../support/systemd.ts";

const path = process.env["PATH"];
let machine: Systemd;

describe.skipIf(systemdMissing !== null)("the restart of a real system", () => {
  beforeAll(async () => {
    machine = await Systemd.start();
    process.env["PATH"] = machine.programs;
  });
  afterAll(async () => {
    process.env["PATH"] = path;
    await machine.stop();
  });

  test("is refused where the agent's environment does not allow it, and schedules nothing", async () => {
    const failure = failureOf(await restart({ delaySeconds: 60 }, false));
    expect(failure.code).toBe("os_restart_not_allowed");
    expect(failure.message).toContain("ALLOW_OS_RESTART=true");
    expect(await machine.systemctl("is-active", "bellhop-restart.timer")).toBe("inactive");
  });

  test("is scheduled once, can be seen and taken back", async () => {
    const outcome = await restart({ delaySeconds: 3_600 }, true);
    expect(outcome).toMatchObject({ status: "succeeded", output: { exitCode: 0, delaySeconds: 3_600 } });
    expect(await machine.systemctl("list-timers", "--no-pager")).toContain("bellhop-restart.timer");

    const again = failureOf(await restart({ delaySeconds: 10 }, true));
    expect(again.code).toBe("restart_already_scheduled");
    expect(again.message).toContain("systemctl stop bellhop-restart.timer");

    await machine.systemctl("stop", "bellhop-restart.timer");
    expect(await restart({ delaySeconds: 3_600 }, true)).toMatchObject({ status: "succeeded" });
    await machine.systemctl("stop", "bellhop-restart.timer");
    expect(machine.running).toBe(true);
  });

  test("an ordinary user may not schedule it", async () => {
    process.env["PATH"] = machine.nobodyPrograms;
    try {
      expect(failureOf(await restart({}, true)).code).toBe("permission_denied");
    } finally {
      process.env["PATH"] = machine.programs;
    }
  });

  test.each([-1, 86_401, 1.5, "soon"])("a delay of %p is refused", async (delaySeconds) => {
    expect(failureOf(await restart({ delaySeconds }, true)).code).toBe("invalid_params");
  });

  test("happens after the answer, at the earliest 5 s later", async () => {
    const outcome = await restart({ delaySeconds: 0 }, true);
    expect(outputOf(outcome)).toMatchObject({ delaySeconds: 5 });
    expect(machine.running).toBe(true);
    await eventually("the system has gone down to restart", () => !machine.running, 30_000);
  });
});

function restart(params: Record<string, number | string>, allowOsRestart: boolean) {
  return runAction("osService", "os.restartOS", { params, allowOsRestart });
}
