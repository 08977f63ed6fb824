import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { z } from "zod";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { attackJob, attackReport } from "../../support/job-attack/index.ts";
import { ENDS, leaving } from "../../support/leftovers.ts";
import { deliveryJob } from "../../support/sealed-credential.ts";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";

setDefaultTimeout(120_000);

const STATE = "/var/lib/bellhop-agent";
const PLACES = ["/dev", "/etc", "/home", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var"];
const SECRET = "cAnArY-perJob-secret-7b21";
const NOT_ALLOWED = [
  ["systemctl", "stop", "bellhop-agent"],
  ["systemctl", "kill", "bellhop-agent"],
  ["systemctl", "set-property", "--runtime", "bellhop-agent", "CPUQuota=1%"],
  ["systemctl", "daemon-reload"],
  ["systemctl", "stop", "bellhop-job@1.socket"],
  ["systemd-run", "true"],
  ["systemd-run", "--user", "true"],
  ["loginctl", "enable-linger"],
  ["crontab", "-l"],
  ["su", "-c", "id"],
];

describe.skipIf(systemdMissing !== null)(`a job of the installed agent ${systemdMissing ?? ""}`, () => {
  let machine: ServiceMachine;
  const sh = async (script: string) => (await machine.systemd.run(["/bin/sh", "-c", script])).stdout;
  beforeAll(async () => {
    machine = await ServiceMachine.start();
    // Here, systemd ends a stopped job within a second and restarts a killed agent immediately.
    await sh(`for unit in bellhop-job@ bellhop-agent; do mkdir -p /etc/systemd/system/$unit.service.d; done
      printf '[Service]\\nWatchdogSec=1\\n' > /etc/systemd/system/bellhop-job@.service.d/test.conf
      printf '[Service]\\nRestartSec=100ms\\n' > /etc/systemd/system/bellhop-agent.service.d/test.conf
      mkdir /dev/mqueue && mount -t mqueue mqueue /dev/mqueue
      cp /usr/bin/id /usr/local/bin/setuid-id && chmod 4755 /usr/local/bin/setuid-id`);
    const { stderr, exitCode } = await machine.install();
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    const { publicKey } = await machine.registration();
    const delivery = deliveryJob({
      agentId: "agt_fake",
      publicKey,
      connectionId: "con_secret",
      type: "custom",
      secrets: { CANARY: SECRET },
    });
    expect(await machine.run({ id: "job_delivery", ...delivery })).toMatchObject({ status: "succeeded" });
  });
  afterAll(() => machine.stop());

  test("runs under an account of no other job, and the agent reports that", async () => {
    expect(await machine.registration()).toMatchObject({
      isolation: "perJob",
      isolationReason: "jobs run as accounts that exist for one job each",
    });
    // Each job ends once all three have seen each other.
    const script = `id -u
      bash -c 'exec -a "present $GROUP" sleep 60' &
      until [ "$(pgrep -c -f "([p]resent|[s]aw) $GROUP")" -ge 3 ]; do :; done
      bash -c 'exec -a "saw $GROUP" sleep 60' &
      until pgrep -u $(id -u) -f "[s]aw $GROUP" > /dev/null; do :; done; kill %1
      while pgrep -f "[p]resent $GROUP" > /dev/null; do :; done; kill %2`;
    const jobs = ["job_uid_1", "job_uid_2", "job_uid_3"].map((id) =>
      machine.run({ id, params: { script }, values: { GROUP: "of-uids" }, timeoutSeconds: 30 }),
    );
    const results = await Promise.all(jobs);
    expect(results.map(({ status }) => status)).toEqual(Array(3).fill("succeeded"));
    const uids = results.map(({ output }) => output?.["stdout"]);
    expect(uids).toEqual(Array(3).fill(expect.stringMatching(/^\d+\n/u)));
    expect(new Set(uids).size).toBe(3);
  });

  test("finds nothing of the agent's, and cannot affect it", async () => {
    const pid = await machine.show("MainPID");
    const vault = await machine.text(`${STATE}/vault.json`);
    const { salt } = z.looseObject({ salt: z.string() }).parse(JSON.parse(vault));
    await sh(`mkdir /var/lib/open && echo "${salt}" > /var/lib/open/salt && chmod -R a+rX /var/lib/open`);
    const needles = {
      key: FAKE_AGENT_KEY,
      secret: SECRET,
      adminToken: (await machine.text(`${STATE}/admin-token`)).trim(),
      salt,
    };
    const state = (await sh(`find ${STATE} /etc/bellhop`)).trim().split("\n");
    expect(state).toEqual(
      expect.arrayContaining([`${STATE}/vault.json`, `${STATE}/admin-token`, "/etc/bellhop/agent.key"]),
    );
    const units = ["bellhop-agent.service", "bellhop-job@.socket", "bellhop-job@.service"];
    const program = ["/usr/local/bin/bellhop-agent", ...units.map((unit) => `/etc/systemd/system/${unit}`)];
    const result = await machine.run({
      id: "job_attack",
      ...attackJob({
        needles,
        agents: { agent: Number(pid) },
        paths: [...state, ...program, `${STATE}/core`, "/etc/systemd/system/bellhop-agent.service.d/test.conf"],
        places: ["/etc", "/run", "/var/lib", "/var/log", "/var/tmp", "/tmp", "/dev/shm", "/home", "/root"],
        setuidPrograms: ["/usr/local/bin/setuid-id"],
        commands: NOT_ALLOWED,
        sockets: [
          "/run/bellhop-job/1.socket",
          "/run/bellhop-job/100.socket",
          "/run/systemd/private",
          "/run/dbus/system_bus_socket",
        ],
      }),
    });
    const report = attackReport(result);
    const isDenied = (outcome: string) => outcome === "denied";
    expect(Object.entries(report.agents["agent"] ?? {}).filter(([, outcome]) => !isDenied(outcome))).toEqual([]);
    expect(Object.keys(report.agents["agent"] ?? {}).length).toBeGreaterThan(10);
    // The job's parent process has the same account: the job may end it, which ends the job, too.
    expect(Object.entries(report.parent).filter(([, outcome]) => !isDenied(outcome))).toEqual([["signalled", "open"]]);
    expect(Object.values(report.others).flat()).toEqual([]);
    expect(Object.keys(report.others)).not.toEqual([]);
    expect(report.control).toMatchObject({ environ: "control", memory: "control", open_files: "control" });
    expect(report.commandLines).toEqual([]);
    expect(report.environment.filter((name) => /AGENT|TOKEN|SOCKET|WATCHDOG|CREDENTIAL/u.test(name))).toEqual([]);
    expect(report.descriptors).toEqual([0, 1, 2]);
    // The job may know that these paths exist.
    const listed = { "/etc/bellhop": ["list"] };
    const readable = [...program, "/etc/systemd/system/bellhop-agent.service.d/test.conf"];
    expect(report.paths).toEqual({ ...listed, ...Object.fromEntries(readable.map((path) => [path, ["read"]])) });
    expect(report.parents).toEqual([]);
    expect(report.searched).toEqual({ "/var/lib/open/salt": "salt" });
    expect(report.hardLinks).toEqual([]);
    const { NoNewPrivs, ...capabilities } = report.capabilities;
    expect({ NoNewPrivs, ...capabilities }).toEqual({
      NoNewPrivs: "1",
      ...Object.fromEntries(["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].map((name) => [name, "0".repeat(16)])),
    });
    expect(report.systemCalls).toEqual([]);
    expect(report.setuid).toEqual({ marked: false, ran_as: [String(report.uid)] });
    expect(report.commands).toEqual([]);
    expect(report.sockets).toEqual([]);

    expect(await sh("setpriv --reuid=65534 --clear-groups /usr/local/bin/setuid-id -u")).toBe("0\n");
    expect(await machine.show("MainPID")).toBe(pid);
    // The removed directory contained links to them.
    expect(await machine.text(`${STATE}/vault.json`)).toBe(vault);
    expect((await sh(`find ${STATE} /etc/bellhop`)).trim().split("\n").sort()).toEqual(state.sort());
  });

  test("finds nothing of another running job", async () => {
    const canary = "cAnArY-other-job-51c0";
    const victim = `printf %s "$CANARY" > kept; cp kept /tmp/kept; exec 9< kept; exec -a victim sleep 31536000`;
    await machine.begin({ id: "job_victim", params: { script: victim }, values: { CANARY: canary } });
    const pid = await eventually(
      "the other job",
      async () => Number(await sh("pgrep -x -f 'victim 31536000'")) || null,
    );
    const home = (await sh(`readlink /proc/${pid}/cwd`)).trim();
    expect(home).toStartWith("/tmp/bellhop-job-");
    const places = ["/tmp", "/var/tmp", "/dev/shm", "/run"];
    const attack = attackJob({ needles: { canary }, agents: { victim: pid }, paths: [`${home}/kept`], places });
    const report = attackReport(await machine.run({ id: "job_beside", ...attack }));
    expect(new Set(Object.values(report.agents["victim"] ?? {}))).toEqual(new Set(["denied"]));
    // Its private /tmp.
    expect(report.parents).toEqual(["/tmp"]);
    expect(report).toMatchObject({ paths: {}, searched: {}, commandLines: [] });
    expect(Object.values(report.others).flat()).toEqual([]);
    await machine.cancel("job_victim");
    expect((await machine.resultOf("job_victim")).status).toBe("cancelled");
  });

  test.each([
    ...ENDS,
    ["that stops its parent process", "kill -STOP $PPID; sleep 300", "failed"],
    ["whose agent is killed", "sleep 300", "interrupted"],
  ])("%s leaves no process", async (how, end, status) => {
    const id = `job_leaving_${how.replaceAll(" ", "_")}`;
    const { script, tokens } = leaving();
    const timeoutSeconds = status === "timed_out" ? 3 : 60;
    await machine.begin({ id, params: { script: `${script}\n${end}` }, timeoutSeconds });
    const areRunning = () => tokens.filter((token) => machine.systemd.isRunning(token));
    if (end === "sleep 300") {
      await eventually("what it leaves", () => areRunning().length === tokens.length);
      if (status === "cancelled") await machine.cancel(id);
      if (status === "interrupted") await sh("systemctl kill --kill-who=main -s KILL bellhop-agent");
    }
    const result = await machine.resultOf(id);
    expect(result.status).toBe(status);
    await eventually("its processes to be gone", () => areRunning().length === 0);
  });

  test("leaves no file, no shared memory and no message queue", async () => {
    const script = `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
left = []
for parent, folders, _ in (found for place in ${JSON.stringify(PLACES)} for found in os.walk(place)):
    if parent.count("/") > 3:
        folders.clear()
    if os.access(parent, os.W_OK) and not parent.startswith(os.path.dirname(os.environ["HOME"])):
        try:
            open(os.path.join(parent, "left-by-a-job"), "x").close()
            left.append(parent)
        except OSError:
            pass
os.makedirs(os.path.expanduser("~/.config/left-by-a-job"))
memory = libc.shmget(0x6265, 4096, 0o1600)
queue = libc.mq_open(b"/left-by-a-job", os.O_CREAT | os.O_RDWR, 0o600, None)
print(sorted(left), memory >= 0, queue >= 0)`;
    const { output } = await machine.run({ id: "job_files", action: "script.python", params: { script } });
    expect(output?.["stdout"]).toBe("['/dev/mqueue', '/dev/shm', '/tmp', '/var/tmp'] True True\n");
    const isLeft = `find ${PLACES.join(" ")} -name left-by-a-job; ipcs -m | grep -i 6265`;
    await eventually("all of it to be gone", async () => (await sh(isLeft)) === "");
  });

  test("cannot write frames to the agent as its parent process", async () => {
    const frame = String.raw`printf '\012\000\000\000\036{"exitCode":0,"signal":null}   \013\000\000\000\000'`;
    const script = `${frame}; ${frame} > /proc/$PPID/fd/1; exit 3`;
    const { status, output, error } = await machine.run({ id: "job_forged", params: { script } });
    expect({ status, code: error?.code, exitCode: output?.["exitCode"] }).toEqual({
      status: "failed",
      code: "nonzero_exit",
      exitCode: 3,
    });
    expect(output?.["stdout"]).toContain('{"exitCode":0,"signal":null}');
    expect(output?.["stderr"]).toContain("Permission denied");
  });

  test("that floods its output can be cancelled, and the next job runs", async () => {
    await machine.begin({ id: "job_flood", params: { script: "yes flood-of-a-job >&2 & yes flood-of-a-job" } });
    await eventually("the flood", () => machine.systemd.isRunning("yes flood-of-a-job"));
    await machine.cancel("job_flood");
    const { status, output } = await machine.resultOf("job_flood");
    expect(status).toBe("cancelled");
    expect(output?.["truncated"]).toBe(true);
    expect(machine.systemd.isRunning("yes flood-of-a-job")).toBe(false);
    const next = await machine.run({ id: "job_after_flood", params: { script: "echo next" } });
    expect(next.output?.["stdout"]).toBe("next\n");
  });

  test("fails with job_process when systemd cannot start its process, and the next job runs once it can", async () => {
    await sh(`mv /usr/local/bin/bellhop-agent /usr/local/bin/aside && systemctl kill -s KILL 'bellhop-job@*.service'`);
    const { status, error } = await machine.run({ id: "job_unstarted", params: { script: "true" } });
    const failed = await sh("systemctl list-units --no-legend --plain --state=failed 'bellhop-job@*.socket'");
    await sh("mv /usr/local/bin/aside /usr/local/bin/bellhop-agent");
    expect(failed).toBe("");
    // systemd does not restart the unit in a loop for the connection that was not accepted.
    expect(error?.message).toContain("it ended before it was ready");
    expect({ status, code: error?.code }).toEqual({ status: "failed", code: "job_process" });
    expect(await machine.run({ id: "job_repaired", params: { script: "true" } })).toMatchObject({
      status: "succeeded",
    });
  });

  test("runs although the prepared process was killed", async () => {
    await machine.run({ id: "job_first", params: { script: "true" } });
    await sh("systemctl kill -s KILL 'bellhop-job@*'");
    const { output } = await machine.run({ id: "job_second", params: { script: "echo second" } });
    expect(output?.["stdout"]).toBe("second\n");
  });
});
