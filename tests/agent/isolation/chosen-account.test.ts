import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { attackJob, attackReport } from "../../support/job-attack/index.ts";
import { onAnyCommandLine } from "../../support/processes.ts";

setDefaultTimeout(60_000);

/** With a setpriv that cannot switch accounts: BusyBox has a program of that name. */
const WITH_BUSYBOX = [
  "unshare",
  "--mount",
  "/bin/sh",
  "-c",
  'mount -t tmpfs tmpfs /usr/local/sbin && ln -s /usr/bin/busybox /usr/local/sbin/setpriv && exec "$@"',
  "sh",
];

describe.skipIf(accountsMissing !== null)(`an agent that root started ${accountsMissing ?? ""}`, () => {
  let machine: AccountAgent;
  beforeEach(async () => {
    machine = await AccountAgent.make();
  });
  afterEach(() => machine.remove());
  const says = async (script: string) => (await machine.run({ params: { script } })).output?.["stdout"];

  test("runs jobs as the account of JOB_USER, and is closed to them", async () => {
    // A uid of no other process on this machine.
    const uid = randomInt(300_000, 400_000);
    const agent = await machine.start({ env: { JOB_USER: String(uid) } });
    expect(machine.service.registrations[0]).toMatchObject({
      isolation: "account",
      isolationReason: `jobs run as a separate account (uid ${uid})`,
    });
    const attack = attackJob({
      needles: { key: FAKE_AGENT_KEY },
      agents: { agent: agent.pid },
      paths: [machine.home.path("vault.json"), machine.home.path("admin-token")],
    });
    const report = attackReport(await machine.run(attack));
    expect(report).toMatchObject({ uid, groups: [], paths: {}, setuid: { ran_as: [] } });
    expect(new Set(Object.values(report.agents["agent"] ?? {}))).toEqual(new Set(["denied"]));
    expect(Object.entries(report.parent).filter(([, outcome]) => outcome !== "denied")).toEqual([
      ["signalled", "open"],
    ]);
    expect(report.capabilities).toMatchObject({ CapEff: "0".repeat(16), CapBnd: "0".repeat(16), NoNewPrivs: "1" });
  });

  test("ends processes that a job of JOB_USER leaves, but no other process of that account", async () => {
    const uid = randomInt(300_000, 400_000);
    const [left, kept] = [`sleep 32.${process.pid}1`, `sleep 32.${process.pid}2`];
    const other = Bun.spawn(["setpriv", `--reuid=${uid}`, "--clear-groups", "--", ...kept.split(" ")]);
    try {
      await machine.start({ env: { JOB_USER: String(uid) } });
      expect(await says(`setsid ${left} < /dev/null > /dev/null 2>&1 & echo left`)).toBe("left\n");
      await eventually("its end", () => !onAnyCommandLine(left));
      expect(onAnyCommandLine(kept)).toBe(true);
    } finally {
      other.kill();
      await other.exited;
    }
  });

  test.each([
    ["off", "jobs run as root (JOB_USER=off)"],
    ["0", "jobs run as root: a job can read the agent's files and secrets"],
  ])("reports isolation none with JOB_USER=%s", async (jobUser, isolationReason) => {
    await machine.start({ env: { JOB_USER: jobUser } });
    expect(machine.service.registrations[0]).toMatchObject({ isolation: "none", isolationReason });
    expect(await says("id -u")).toBe("0\n");
  });

  test("reports isolation none without a program that switches accounts", async () => {
    await machine.start({ wrap: WITH_BUSYBOX });
    expect(machine.service.registrations[0]).toMatchObject({
      isolation: "none",
      isolationReason: "jobs run as root: setpriv of util-linux is missing, install it",
    });
  });

  test.each([
    [{ JOB_USER: "not-there" }, [], "there is no account not-there on this machine"],
    [{ JOB_USER: "61184" }, [], "is one of the numbers that the agent gives to single jobs"],
    [{ JOB_USER: "daemon" }, WITH_BUSYBOX, "JOB_USER needs setpriv of util-linux on this machine"],
  ])("does not start with an impossible JOB_USER: %j", async (env, wrap, said) => {
    const refusal = await machine.start({ env, wrap }).then(
      () => "it started",
      (error: unknown) => String(error),
    );
    expect(refusal).toContain("the agent ended with 78");
    expect(refusal).toContain(said);
  });
});

test.skipIf(accountsMissing !== null)("an agent that root did not start refuses JOB_USER", async () => {
  const machine = await AccountAgent.make(randomInt(300_000, 400_000));
  try {
    const refusal = await machine.start({ env: { JOB_USER: "daemon" } }).catch(String);
    expect(refusal).toContain("the agent ended with 78");
    expect(refusal).toContain("JOB_USER needs an agent that runs as root");
  } finally {
    await machine.remove();
  }
});
