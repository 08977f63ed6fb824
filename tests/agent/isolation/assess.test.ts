import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { assess } from "../../../agent/isolation/assess.ts";
import { accountNamed } from "../../../agent/isolation/job-account.ts";
import { isJobUid } from "../../../agent/isolation/job-uids.ts";

const NO_CAPABILITIES = "0000000000000000";
const OTHER_UID = 4_711;

interface Rights {
  uid?: number;
  effectiveUid?: number;
  gid?: number;
  groups?: number[];
  permitted?: string;
  effective?: string;
  sudo?: string | null;
  how?: "unit" | "account";
}

/** A process status in the format of proc(5). */
function assessed({ uid = OTHER_UID, gid = 4_711, groups = [], ...rights }: Rights) {
  const effectiveUid = rights.effectiveUid ?? uid;
  const status = [
    "Name:\tbellhop-agent",
    `Uid:\t${uid}\t${effectiveUid}\t${effectiveUid}\t${effectiveUid}`,
    `Gid:\t${gid}\t${gid}\t${gid}\t${gid}`,
    `Groups:\t${groups.map((group) => `${group} `).join("")}`,
    `CapPrm:\t${rights.permitted ?? NO_CAPABILITIES}`,
    `CapEff:\t${rights.effective ?? rights.permitted ?? NO_CAPABILITIES}`,
    "",
  ].join("\n");
  return assess({ status, sudo: rights.sudo === undefined ? "" : rights.sudo }, rights.how ?? "account");
}

const sudoRules = (rule: string) => `Matching Defaults entries for bellhop-job on host:
    env_reset, mail_badpass, secure_path=/usr/sbin\\:/usr/bin

User bellhop-job may run the following commands on host:
    ${rule}
`;
const groupId = (name: string) =>
  Number(new RegExp(`^${name}:[^:]*:(\\d+):`, "mu").exec(readFileSync("/etc/group", "utf8"))?.[1]);
const own = process.getuid?.() ?? 0;

describe("the isolation of jobs with", () => {
  const cases: [string, Rights, "perJob" | "account" | "none"][] = [
    ["a DynamicUser uid of systemd", { uid: 61_184, how: "unit" }, "perJob"],
    ["the last DynamicUser uid", { uid: 65_519, how: "unit" }, "perJob"],
    ["a uid for each job from an agent of root", { uid: 60_706 }, "account"],
    ["a fixed account in the unit", { how: "unit" }, "account"],
    ["a fixed account", {}, "account"],
    ["an ordinary group", { groups: [100, 4_712] }, "account"],
    ["root", { uid: 0 }, "none"],
    ["root as effective uid", { effectiveUid: 0 }, "none"],
    ["the agent's own account", { uid: own }, "none"],
    ["the group root", { groups: [100, 0] }, "none"],
    ["root's group as primary group", { gid: 0 }, "none"],
    ["the group disk", { groups: [groupId("disk")] }, "none"],
    ["the group shadow and a DynamicUser uid", { uid: 61_200, groups: [groupId("shadow")], how: "unit" }, "none"],
    ["capabilities", { permitted: "00000000000000c0" }, "none"],
    [
      "capabilities that are permitted but not effective",
      { permitted: "0000000000000002", effective: NO_CAPABILITIES },
      "none",
    ],
    [
      "sudo for some commands",
      { sudo: sudoRules("(root) NOPASSWD: /usr/bin/systemctl restart web, /bin/id") },
      "account",
    ],
    ["sudo for everything", { sudo: sudoRules("(ALL : ALL) NOPASSWD: ALL") }, "none"],
    ["sudo for everything, with tags", { sudo: sudoRules("(root) NOPASSWD: SETENV: ALL") }, "none"],
    ["sudo for everything after a command", { sudo: sudoRules("(root) NOPASSWD: /bin/id, ALL") }, "none"],
    [
      "sudo for everything on a continuation line",
      { sudo: sudoRules(`(root) NOPASSWD: /bin/id,\n        ALL`) },
      "none",
    ],
    ["sudo that hides its list but starts programs", { sudo: null }, "none"],
    ["sudo for everything as uid 0", { sudo: sudoRules("(#0) ALL") }, "none"],
    ["sudo for everything as another account", { sudo: sudoRules("(www-data) NOPASSWD: ALL") }, "account"],
    ["sudo for everything as the agent's account", { sudo: sudoRules(`(www-data, #${own}) NOPASSWD: ALL`) }, "none"],
    ["sudo for everything with CWD and TIMEOUT", { sudo: sudoRules("(root) CWD=* TIMEOUT=5 NOPASSWD: ALL") }, "none"],
    ["a command whose name ends in ALL", { sudo: sudoRules("(root) NOPASSWD: /opt/ALL") }, "account"],
  ];
  for (const [what, rights, isolation] of cases) {
    test(`${what} is ${isolation}`, () => {
      expect(assessed(rights).isolation).toBe(isolation);
    });
  }

  test("has its reason in one sentence", () => {
    const reasons = [
      assessed({ uid: 61_184, how: "unit" }),
      assessed({}),
      assessed({ uid: 0 }),
      assessed({ groups: [groupId("disk")] }),
      assessed({ sudo: sudoRules("(ALL) ALL") }),
    ].map(({ reason }) => reason);
    expect(reasons).toEqual([
      "jobs run as accounts that exist for one job each",
      "jobs run as a separate account (uid 4711)",
      "jobs run as root: a job can read the agent's files and secrets",
      "the account of jobs is in the group disk, whose members can become root: a job can read the agent's files and secrets",
      "sudo lets the account of jobs do everything as any account: a job can read the agent's files and secrets",
    ]);
  });
});

describe("a uid for one job", () => {
  test("is never root's, a person's, or 65534", () => {
    expect([0, 1, 999, 1_000, 60_705, 65_520, 65_534].filter(isJobUid)).toEqual([]);
    expect([60_706, 61_183, 61_184, 65_519].filter(isJobUid)).toHaveLength(4);
  });
});

describe("JOB_USER", () => {
  test("names an account of this machine, by name or number, with its group", () => {
    const [, uid, gid] = /^daemon:[^:]*:(\d+):(\d+):/mu.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
    const account = { uid: Number(uid), gid: Number(gid) };
    expect(accountNamed("daemon")).toEqual(account);
    expect(accountNamed(String(uid))).toEqual(account);
  });

  test("may be a number without a name", () => {
    expect(accountNamed("54321")).toEqual({ uid: 54_321, gid: 54_321 });
  });

  test.each(["60706", "61184", "65519"])("may not be %s, which is among the uids for one job each", (number) => {
    expect(() => accountNamed(number)).toThrow("is one of the numbers that the agent gives to single jobs");
  });

  test("of an unknown account is refused, with what to do", () => {
    expect(() => accountNamed("not-there")).toThrow("there is no account not-there on this machine. Create it");
  });
});
