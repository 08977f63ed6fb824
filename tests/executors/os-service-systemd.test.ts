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

  test("a service is started, restarted as a new process, and stopped", async () => {
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

  test("starting what runs and stopping what does not are successes", async () => {
    await run("start", "copy@000");
    const before = await machine.systemctl("show", "--property=MainPID", "copy@000");
    expect(await run("start", "copy@000")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    expect(await machine.systemctl("show", "--property=MainPID", "copy@000")).toBe(before);
    await run("stop", "copy@000");
    expect(await run("stop", "copy@000")).toMatchObject({ status: "succeeded", output: { activeState: "inactive" } });
  });

  test("restarting a service that is stopped starts it", async () => {
    expect(await run("restart", "copy@001")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    await run("stop", "copy@001");
  });

  test("a service that does its work and ends is a success only when it says so by its type", async () => {
    expect(await run("start", "once")).toMatchObject({
      status: "succeeded",
      output: { activeState: "inactive", result: "success" },
    });
    expect(failureOf(await run("start", "ends"))).toMatchObject({
      code: "service_failed",
      message: expect.stringContaining("ended by itself"),
    });
  });

  test.each([
    ["broken", "exit status 3"],
    ["late", "exit status 4"],
    ["looping", "service_failed"],
    ["never-ready", "timeout"],
  ])("%s does not stay up: the start fails although systemctl may be content", async (service, words) => {
    const outcome = await run("start", service);
    expect(`${failureOf(outcome).code} ${failureOf(outcome).message}`).toContain(words);
    expect(failureOf(outcome).message).toContain(`${service}.service was not started`);
    await run("stop", service);
  });

  test("the last lines of the journal come with a failure", async () => {
    const outcome = await run("restart", "broken");
    expect(textOf(outputOf(outcome), "journal")).toContain("no such port");
    expect(outputOf(outcome)).toMatchObject({ activeState: "failed", result: "exit-code" });
    expect(failureOf(outcome).message).toContain("as journal");
  });

  test("a condition that is not met is a failure that says so", async () => {
    expect(failureOf(await run("start", "conditional")).message).toContain("a condition of the unit");
  });

  test("sockets can be controlled like services", async () => {
    expect(await run("start", "door.socket")).toMatchObject({
      status: "succeeded",
      output: { service: "door.socket", activeState: "active", subState: "listening" },
    });
    expect(await run("stop", "door.socket")).toMatchObject({ status: "succeeded" });
  });

  test.each(["start", "stop", "restart"] as const)("%s of a service that is not there names it", async (verb) => {
    const failure = failureOf(await run(verb, "nowhere"));
    expect(failure.code).toBe("service_not_found");
    expect(failure.message).toContain("nowhere.service");
  });

  test("a masked service is not started, and the way out is named", async () => {
    for (const verb of ["start", "restart"] as const) {
      const failure = failureOf(await run(verb, "masked"));
      expect(failure.code).toBe("service_masked");
      expect(failure.message).toContain("systemctl unmask masked.service");
    }
    expect(await run("stop", "masked")).toMatchObject({ status: "succeeded" });
  });

  test("a unit whose file is bad fails with what systemd says of it", async () => {
    const failure = failureOf(await run("start", "bad-file"));
    expect(failure.code).toBe("service_failed");
    expect(failure.message).toContain("bad unit file setting");
  });

  test("a running service whose file is gone can still be stopped", async () => {
    await run("start", "leaving");
    await machine.run(["rm", "/run/units/leaving.service"]);
    await machine.systemctl("daemon-reload");
    expect(await run("stop", "leaving")).toMatchObject({ status: "succeeded" });
    expect(failureOf(await run("stop", "leaving")).code).toBe("service_not_found");
  });

  test.each(["reboot.target", "rescue.target", "tmp.mount", "user.slice", "session-1.scope"])(
    "%s is no service",
    async (service) => {
      expect(failureOf(await run("start", service)).code).toBe("invalid_params");
    },
  );

  test.each(["systemd-reboot", "systemd-poweroff.service", "systemd-suspend", "ends-all"])(
    "%s would change the whole system and is refused",
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
  ] as const)("%s of %s is refused, because it would begin %s as well", async (verb, service, needed) => {
    const failure = failureOf(await run(verb, service));
    expect(failure.code).toBe("os_restart_not_allowed");
    expect(failure.message).toContain(`${service}.service would start ${needed}`);
    expect(await machine.systemctl("is-active", service)).toBe("inactive");
  });

  test("a unit that needs one that could end the system is started while that one runs already", async () => {
    expect(failureOf(await run("start", "needs-guarded")).code).toBe("os_restart_not_allowed");
    await machine.systemctl("start", "guarded");
    expect(await run("start", "needs-guarded")).toMatchObject({
      status: "succeeded",
      output: { activeState: "active" },
    });
  });

  test("a state that comes late is waited for", async () => {
    await withLateLook("/bin/sleep 4", async () => {
      expect(await run("restart", "web")).toMatchObject({ status: "succeeded", output: { activeState: "active" } });
    });
  });

  test.each([
    ["/bin/sleep 1000", "systemctl gave no answer within its time"],
    ["echo 'Connection timed out' >&2; exit 1", "systemctl says: Connection timed out"],
  ])("what systemctl did stands although the state cannot be read after it: %s", async (look, words) => {
    await withLateLook(look, async () => {
      const outcome = await run("restart", "web");
      expect(outcome).toMatchObject({
        status: "succeeded",
        output: { exitCode: 0, service: "web.service", activeState: "unknown" },
      });
      expect(textOf(outputOf(outcome), "stderr")).toContain(words);
      expect(await machine.systemctl("is-active", "web")).toBe("active");
    });
  });

  test("what systemctl could not do is a failure with its words, also when the state cannot be read after it", async () => {
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
  ])("%j is not taken for a service", async (service) => {
    expect(failureOf(await run("restart", service)).code).toBe("invalid_params");
  });

  test("an ordinary user may do what a polkit rule says, and is told so about the rest", async () => {
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

/** A systemd that first runs `look` when it is asked for a unit's state after something was done to it. */
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
