import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { failureOf, outputOf, runAction, textOf } from "../support/executor-context.ts";
import { Systemd, systemdMissing } from "../support/systemd/index.ts";

const path = process.env["PATH"];
let machine: Systemd;

describe.skipIf(systemdMissing !== null)("services of a real systemd", () => {
  beforeAll(async () => {
    machine = await Systemd.start();
    await machine.install({
      "web.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "broken.service": "[Service]\nExecStart=/bin/sh -c 'echo no such port >&2; exit 3'\n",
      "broken-at-once.service": "[Service]\nType=oneshot\nExecStart=/bin/false\n",
      "late.service": "[Service]\nExecStart=/bin/sh -c 'sleep 0.3; exit 4'\n",
      "looping.service": "[Service]\nRestart=always\nExecStart=/bin/sh -c 'sleep 0.2; exit 5'\n",
      "never-ready.service": "[Service]\nType=notify\nTimeoutStartSec=500ms\nExecStart=/bin/sleep 1000\n",
      "once.service": "[Service]\nType=oneshot\nExecStart=/bin/true\n",
      "ends.service": "[Service]\nExecStart=/bin/true\n",
      "conditional.service": "[Unit]\nConditionPathExists=/nowhere\n[Service]\nExecStart=/bin/sleep 1000\n",
      "copy@.service": "[Service]\nExecStart=/bin/sleep 1%i\n",
      "door.socket": "[Socket]\nListenStream=/run/door\n",
      "door.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "ends-all.service": "[Unit]\nSuccessAction=poweroff-force\n[Service]\nType=oneshot\nExecStart=/bin/true\n",
      "fails-all.service": "[Unit]\nFailureAction=reboot\n[Service]\nExecStart=/bin/false\n",
      "repeats-all.service":
        "[Unit]\nStartLimitAction=reboot-force\nStartLimitBurst=1\n[Service]\nExecStart=/bin/sleep 1000\n",
      "late-all.service":
        "[Unit]\nJobTimeoutAction=exit\nJobTimeoutSec=1\n[Service]\nType=notify\nExecStart=/bin/sleep 1000\n",
      "needs-fails-all.service": "[Unit]\nRequires=needs-it.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "needs-it.service": "[Unit]\nWants=fails-all.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "needs-reboot.service": "[Unit]\nWants=reboot.target\n[Service]\nExecStart=/bin/sleep 1000\n",
      "guarded.service": "[Unit]\nFailureAction=reboot\n[Service]\nExecStart=/bin/sleep 1000\n",
      "needs-guarded.service": "[Unit]\nRequires=guarded.service\n[Service]\nExecStart=/bin/sleep 1000\n",
      "masked.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "bad-file.service": "[Service]\nType=oneshot\n",
      "leaving.service": "[Service]\nExecStart=/bin/sleep 1000\n",
    });
    await machine.run(["rm", "/run/units/masked.service"]);
    await machine.run(["ln", "-s", "/dev/null", "/run/units/masked.service"]);
    await machine.systemctl("daemon-reload");
    process.env["PATH"] = machine.programs;
  });
  afterAll(async () => {
    process.env["PATH"] = path;
    await machine.stop();
  });

  test("a service can be started, restarted as a new process, and stopped", async () => {
    const started = await run("start", "web");
    expect(outputOf(started)).toEqual({
      stdout: "",
      stderr: "",
      exitCode: 0,
      service: "web.service",
      activeState: "active",
      subState: "running",
      result: "success",
    });
    const first = await machine.systemctl("show", "--property=MainPID", "web");
    expect(await run("restart", "web.service")).toMatchObject({ status: "succeeded" });
    expect(await machine.systemctl("show", "--property=MainPID", "web")).not.toBe(first);
    expect(await run("stop", "web")).toMatchObject({ status: "succeeded", output: { activeState: "inactive" } });
    expect(await machine.systemctl("is-active", "web")).toBe("inactive");
  });

  test("starting a running service and stopping a stopped one succeed", async () => {
    await run("start", "copy@000");
    const before = await machine.systemctl("show", "--property=MainPID", "copy@000");
    expect(await run("start", "copy@000")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    expect(await machine.systemctl("show", "--property=MainPID", "copy@000")).toBe(before);
    await run("stop", "copy@000");
    expect(await run("stop", "copy@000")).toMatchObject({ status: "succeeded", output: { activeState: "inactive" } });
  });

  test("restarting a stopped service starts it", async () => {
    expect(await run("restart", "copy@001")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    await run("stop", "copy@001");
  });

  test("a service that ends by itself succeeds only if its unit type allows that", async () => {
    expect(await run("start", "once")).toMatchObject({
      status: "succeeded",
      output: { activeState: "inactive", result: "success" },
    });
    expect(failureOf(await run("start", "ends"))).toMatchObject({
      code: "service_failed",
      message: expect.stringContaining("it ended without an error"),
    });
  });

  test.each([
    ["broken", "exit status 3"],
    ["late", "exit status 4"],
    ["looping", "service_failed"],
    ["never-ready", "timeout"],
  ])("%s ends soon after its start, so the start fails although systemctl may succeed", async (service, part) => {
    const outcome = await run("start", service);
    expect(`${failureOf(outcome).code} ${failureOf(outcome).message}`).toContain(part);
    expect(failureOf(outcome).message).toContain(`${service}.service was not started`);
    await run("stop", service);
  });

  test("a failure has the last lines of the journal", async () => {
    const outcome = await run("restart", "broken");
    expect(textOf(outputOf(outcome), "journal")).toContain("no such port");
    expect(outputOf(outcome)).toMatchObject({ activeState: "failed", result: "exit-code" });
    expect(failureOf(outcome).message).toContain("as journal");
  });

  test("an unmet condition of a unit is a failure that says so", async () => {
    expect(failureOf(await run("start", "conditional")).message).toContain("a condition of the unit");
  });

  test("sockets can be controlled like services", async () => {
    expect(await run("start", "door.socket")).toMatchObject({
      status: "succeeded",
      output: { service: "door.socket", activeState: "active", subState: "listening" },
    });
    expect(await run("stop", "door.socket")).toMatchObject({ status: "succeeded" });
  });

  test.each(["start", "stop", "restart"] as const)(
    "%s of a missing service fails and names the service",
    async (verb) => {
      const failure = failureOf(await run(verb, "nowhere"));
      expect(failure.code).toBe("service_not_found");
      expect(failure.message).toContain("nowhere.service");
    },
  );

  test("a masked service is not started, and the error names the command that unmasks it", async () => {
    for (const verb of ["start", "restart"] as const) {
      const failure = failureOf(await run(verb, "masked"));
      expect(failure.code).toBe("service_masked");
      expect(failure.message).toContain("systemctl unmask masked.service");
    }
    expect(await run("stop", "masked")).toMatchObject({ status: "succeeded" });
  });

  test("a unit with an invalid file fails with systemd's message", async () => {
    const failure = failureOf(await run("start", "bad-file"));
    expect(failure.code).toBe("service_failed");
    expect(failure.message).toContain("bad unit file setting");
  });

  test("a running service whose file was deleted can still be stopped", async () => {
    await run("start", "leaving");
    await machine.run(["rm", "/run/units/leaving.service"]);
    await machine.systemctl("daemon-reload");
    expect(await run("stop", "leaving")).toMatchObject({ status: "succeeded" });
    expect(failureOf(await run("stop", "leaving")).code).toBe("service_not_found");
  });

  test.each(["reboot.target", "rescue.target", "tmp.mount", "user.slice", "session-1.scope"])(
    "%s is refused, because it is not a service",
    async (service) => {
      expect(failureOf(await run("start", service)).code).toBe("invalid_params");
    },
  );

  test.each(["systemd-reboot", "systemd-poweroff.service", "systemd-suspend", "ends-all"])(
    "%s is refused, because it would change the whole system",
    async (service) => {
      expect(failureOf(await run("start", service)).code).toBe("os_restart_not_allowed");
      expect(machine.running).toBe(true);
    },
  );

  test.each(["start", "stop", "restart"] as const)(
    "%s of a unit whose failure would end the system is refused",
    async (verb) => {
      for (const service of ["fails-all", "repeats-all", "late-all"]) {
        const failure = failureOf(await run(verb, service));
        expect(failure.code).toBe("os_restart_not_allowed");
        expect(failure.message).toContain(`${service}.service`);
      }
      expect(await machine.systemctl("is-active", "fails-all", "repeats-all", "late-all")).toBe(
        "inactive\ninactive\ninactive",
      );
    },
  );

  test.each([
    ["start", "needs-fails-all", "fails-all.service"],
    ["restart", "needs-fails-all", "fails-all.service"],
    ["start", "needs-reboot", "systemd-reboot.service"],
  ] as const)("%s of %s is refused, because it would start %s as well", async (verb, service, needed) => {
    const failure = failureOf(await run(verb, service));
    expect(failure.code).toBe("os_restart_not_allowed");
    expect(failure.message).toContain(`${service}.service would start ${needed}`);
    expect(await machine.systemctl("is-active", service)).toBe("inactive");
  });

  test("a unit that needs one that could end the system is started only while that one is running", async () => {
    expect(failureOf(await run("start", "needs-guarded")).code).toBe("os_restart_not_allowed");
    await machine.systemctl("start", "guarded");
    expect(await run("start", "needs-guarded")).toMatchObject({
      status: "succeeded",
      output: { activeState: "active" },
    });
  });

  test("a slow state query is waited for", async () => {
    await withLateLook("/bin/sleep 4", async () => {
      expect(await run("restart", "web")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    });
  });

  test.each([
    ["/bin/sleep 1000", "systemctl gave no answer within its time"],
    ["echo 'Connection timed out' >&2; exit 1", "systemctl says: Connection timed out"],
  ])("a successful restart succeeds even when the state cannot be read: %s", async (look, part) => {
    await withLateLook(look, async () => {
      const outcome = await run("restart", "web");
      expect(outcome).toMatchObject({
        status: "succeeded",
        output: { exitCode: 0, service: "web.service", activeState: "unknown" },
      });
      expect(textOf(outputOf(outcome), "stderr")).toContain(part);
      expect(await machine.systemctl("is-active", "web")).toBe("active");
    });
  });

  test("a failed start fails with systemctl's message even when the state cannot be read", async () => {
    await withLateLook("exit 1", async () => {
      const outcome = await run("start", "broken-at-once");
      expect(failureOf(outcome).code).toBe("service_failed");
      expect(failureOf(outcome).message).toContain("its state is not known");
      expect(failureOf(outcome).message).toContain("control process exited with error code");
      expect(outputOf(outcome)).toMatchObject({ exitCode: 1, activeState: "unknown" });
    });
  });

  test.each([
    "--now",
    "-H root@elsewhere",
    "--root=/tmp",
    "web --force",
    "*",
    "we?",
    "web[a-z]",
    "/etc/passwd",
    "../web",
    "web;reboot",
    "$(reboot)",
    "web\nreboot.target",
    "web\0",
    "",
    ".service",
    "copy@.service",
    "wéb",
    `${"a".repeat(250)}.service`,
  ])("%j is refused as a service's name", async (service) => {
    expect(failureOf(await run("restart", service)).code).toBe("invalid_params");
  });

  test("an ordinary user may do what polkit allows, and gets permission_denied for the rest", async () => {
    await machine.install({
      "allowed.service": "[Service]\nExecStart=/bin/sleep 1000\n",
      "kept.service": "[Service]\nExecStart=/bin/sh -c 'echo kept; exec sleep 1000'\n",
    });
    process.env["PATH"] = machine.unprivilegedPrograms;
    try {
      expect(await run("start", "allowed")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
      const failure = failureOf(await run("start", "kept"));
      expect(failure.code).toBe("permission_denied");
      expect(failure.message).toContain("Interactive authentication required");
      expect(failure.message).toContain("polkit");
      expect(await machine.systemctl("is-active", "kept")).toBe("inactive");
    } finally {
      process.env["PATH"] = machine.programs;
    }
  });
});

function run(verb: "start" | "stop" | "restart", service: string) {
  return runAction("osService", `os.${verb}Service`, { params: { service } });
}

/** A systemctl that first runs `look` for the first state query after a start or restart. */
async function withLateLook(look: string, use: () => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(machine.directory, "late-"));
  const done = join(directory, "done");
  const text = `#!/bin/sh
if [ -e ${done} ]; then
  /bin/rm ${done}
  ${look}
fi
case "$*" in *" start "* | *" restart "*) : > ${done} ;; esac
exec ${machine.programs}/systemctl "$@"
`;
  await writeFile(join(directory, "systemctl"), text, { mode: 0o755 });
  process.env["PATH"] = `${directory}:${machine.programs}`;
  await use().finally(() => {
    process.env["PATH"] = machine.programs;
  });
}
