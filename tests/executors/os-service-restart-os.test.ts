import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction } from "../support/executor-context.ts";
import { beginJob } from "../support/run-job.ts";
import { Systemd, systemdMissing } from "../support/systemd/index.ts";
import { FULL } from "../support/full.ts";

const path = process.env["PATH"];
const TIMER = "bellhop-restart.timer";
/** A systemd-run that schedules the restart, then hangs. */
const SCHEDULES = '"$real" "$@"; : > "$reached"; /bin/sleep 1000';
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

  beforeEach(() => {
    process.env["PATH"] = machine.programs;
  });

  test("is refused without ALLOW_OS_RESTART, and nothing is scheduled", async () => {
    const failure = failureOf(await restart({ delaySeconds: 60 }, false));
    expect(failure.code).toBe("os_restart_not_allowed");
    expect(failure.message).toContain("ALLOW_OS_RESTART=true");
    expect(await machine.systemctl("is-active", "bellhop-restart.timer")).toBe("inactive");
  });

  test("is scheduled once, visible, and can be cancelled by hand", async () => {
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

  test("cannot be scheduled by an ordinary user", async () => {
    process.env["PATH"] = machine.unprivilegedPrograms;
    try {
      expect(failureOf(await restart({}, true)).code).toBe("permission_denied");
    } finally {
      process.env["PATH"] = machine.programs;
    }
  });

  test.each([-1, 86_401, 1.5, "soon"])("with a delay of %p is refused", async (delaySeconds) => {
    expect(failureOf(await restart({ delaySeconds }, true)).code).toBe("invalid_params");
  });

  test("that is cancelled before it is scheduled leaves another job's restart scheduled", async () => {
    await restart({ delaySeconds: 3_600 }, true);
    const result = await cancelledWhile("systemctl", "*is-active*", "/bin/sleep 1000");
    expect(result).toMatchObject({ status: "cancelled", error: { message: expect.stringContaining("was not begun") } });
    expect(await machine.systemctl("is-active", TIMER)).toBe("active");
    await machine.systemctl("stop", TIMER);
  });

  test("that is cancelled while another job schedules one leaves that restart scheduled", async () => {
    const other = ["--unit=bellhop-restart", "--collect", "--description=Restart asked for by Bellhop, job job_10"];
    const late = `${machine.programs}/systemd-run ${other.map((word) => `"${word}"`).join(" ")} --on-active=3600s -- /bin/true; ${machine.programs}/systemd-run "$@"`;
    const result = await cancelledWhile("systemd-run", "*", `${late}; : > "$reached"; /bin/sleep 1000`);
    expect(result.error?.message).toContain("scheduled no restart");
    expect(await machine.systemctl("is-active", TIMER)).toBe("active");
    await machine.systemctl("stop", TIMER);
  });

  test("that is cancelled after it was scheduled is undone", async () => {
    const result = await cancelledWhile("systemd-run", "*", SCHEDULES);
    expect(result).toMatchObject({
      status: "cancelled",
      error: { message: expect.stringContaining("was cancelled") },
    });
    expect(await machine.systemctl("is-active", TIMER)).toBe("inactive");
  });

  test.each([
    ["*stop*", "exit 1"],
    ["*stop*", "exit 0"],
    ["*show*", "exit 1"],
  ])("that cannot be undone is reported as still coming: %s does %s", async (args, does) => {
    await standIn("systemctl", args, does);
    const result = await cancelledWhile("systemd-run", "*", SCHEDULES);
    expect(result.error?.message).toContain(`may still happen. To cancel it, run \`systemctl stop ${TIMER}\``);
    expect(await machine.systemctl("is-active", TIMER)).toBe("active");
    await machine.systemctl("stop", TIMER);
  });

  // The second one waits for a time limit: in npm run test:full only.
  test.each(["echo 'Connection timed out' >&2; exit 1", ...(FULL ? ["/bin/sleep 1000"] : [])])(
    "is not scheduled when systemd does not say whether one is scheduled: %s",
    async (does) => {
      await standIn("systemctl", "*is-active*", does);
      const failure = failureOf(await restart({ delaySeconds: 3_600 }, true));
      expect(failure.code).toBe("service_failed");
      expect(failure.message).toContain("was not scheduled");
      expect(await machine.systemctl("is-active", TIMER)).toBe("inactive");
    },
  );

  test("happens after the job's answer, 5 s later at the earliest", async () => {
    const outcome = await restart({ delaySeconds: 0 }, true);
    expect(outputOf(outcome)).toMatchObject({ delaySeconds: 5 });
    expect(machine.running).toBe(true);
    await eventually("the system has gone down to restart", () => !machine.running, 30_000);
  });
});

function restart(params: Record<string, number | string>, allowOsRestart: boolean) {
  return runAction("osService", "os.restartOS", { params, allowOsRestart });
}

/** Puts a program before the real one in PATH that runs `does` if its arguments match `args`. */
async function standIn(program: string, args: string, does: string): Promise<string> {
  const directory = await mkdtemp(join(machine.directory, "stand-in-"));
  const text = `#!/bin/sh
real=${machine.programs}/${program}
reached=${directory}/reached
case "$*" in ${args})
  ${does}
esac
exec "$real" "$@"
`;
  await writeFile(join(directory, program), text, { mode: 0o755 });
  process.env["PATH"] = `${directory}:${process.env["PATH"]}`;
  return join(directory, "reached");
}

/** A job that is cancelled once the program is running. */
async function cancelledWhile(program: string, args: string, does: string) {
  const reached = await standIn(program, args, does.includes("reached") ? does : `: > "$reached"; ${does}`);
  const begun = await beginJob({
    type: "osService",
    action: "os.restartOS",
    allowOsRestart: true,
    params: { delaySeconds: 3_600 },
  });
  await eventually(`${program} was reached`, () => existsSync(reached));
  begun.cancel();
  return await begun.result;
}
