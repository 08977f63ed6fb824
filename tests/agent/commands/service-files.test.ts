import { describe, expect, test } from "bun:test";
import { parseEnvFile } from "../../../agent/commands/env-file.ts";
import { parseServiceCommand } from "../../../agent/system-service/arguments.ts";
import { mergedEnvText, shownEnvText } from "../../../agent/system-service/env-text.ts";
import { JOB_SLOTS } from "../../../agent/isolation/job-slots.ts";
import { lineDiff } from "../../../agent/system-service/line-diff.ts";
import {
  allowedUnitsIn,
  jobPolkitRule,
  parseAllowedUnits,
  polkitRule,
} from "../../../agent/system-service/linux/polkit-rule.ts";
import {
  JOB_SOCKET_UNIT,
  JOB_SOCKETS,
  JOB_UNIT,
  UNIT as NAME,
  unitFiles,
  unitState,
} from "../../../agent/system-service/linux/unit-file.ts";
import type { UnitOptions } from "../../../agent/system-service/linux/unit-file.ts";
import { windowsPlaces } from "../../../agent/system-service/windows/places.ts";
import { SCHTASKS, taskXml, taskXmlBytes } from "../../../agent/system-service/windows/task.ts";

const UNIT: UnitOptions = {
  executable: "/usr/local/bin/bellhop-agent",
  user: "bellhop-agent",
  envFile: "/etc/bellhop/agent.env",
  allowSudo: false,
  allowOsServices: false,
  stateOutside: [],
  writable: [],
};

const unit = (options: Partial<UnitOptions> = {}, name = NAME): string =>
  unitFiles({ ...UNIT, ...options })[name] ?? "";

/** The settings of a unit, without comments. */
function settings(unit: string): Map<string, string> {
  const lines = unit.split("\n").filter((line) => /^[A-Z]\w+=/u.test(line));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]));
}

describe("the systemd unit", () => {
  test("restarts the agent, except where a restart cannot help, and lets jobs end first", () => {
    const set = settings(unit());
    expect(set.get("ExecStart")).toBe("/usr/local/bin/bellhop-agent run");
    expect(set.get("Restart")).toBe("always");
    expect(set.get("RestartPreventExitStatus")).toBe("64 76 78");
    expect(set.get("KillMode")).toBe("mixed");
    expect(Number(set.get("TimeoutStopSec"))).toBeGreaterThan(50);
    expect(set.get("OOMPolicy")).toBe("continue");
  });

  test("protects the machine from a dedicated user, and lets the runtime compile", () => {
    const set = settings(unit());
    expect(set.get("NoNewPrivileges")).toBe("yes");
    expect(set.get("ProtectSystem")).toBe("strict");
    expect(set.get("MemoryDenyWriteExecute")).toBe("no");
    expect(set.get("StateDirectory")).toBe("bellhop-agent");
    expect(set.has("ReadWritePaths")).toBe(false);
    expect(set.has("SupplementaryGroups")).toBe(false);
  });

  test("for root keeps the rights that administration needs, and has no units for jobs", () => {
    const set = settings(unit({ user: "root" }));
    for (const name of ["NoNewPrivileges", "ProtectSystem", "SystemCallFilter", "RestrictAddressFamilies"]) {
      expect({ name, set: set.has(name) }).toEqual({ name, set: false });
    }
    expect(set.get("UMask")).toBe("0077");
    expect(set.get("Environment")).toBe("JOB_USER=off");
    expect(Object.keys(unitFiles({ ...UNIT, user: "root" }))).toEqual([NAME]);
  });

  test("of a job uses a temporary account, and ends every process of the job", () => {
    const set = settings(unit({}, JOB_UNIT));
    expect(set.get("ExecStart")).toBe("-/usr/local/bin/bellhop-agent job-process");
    expect(set.get("DynamicUser")).toBe("yes");
    expect(set.get("User")).toBe("bhjob-%i");
    expect(set.get("PrivateTmp")).toBe("yes");
    expect(set.get("KillMode")).toBe("control-group");
    expect(set.get("LimitCORE")).toBe("0");
    expect(set.get("NoNewPrivileges")).toBe("yes");
    expect(set.has("EnvironmentFile")).toBe(false);
    const socket = settings(unit({}, JOB_SOCKET_UNIT));
    expect(socket.get("SocketUser")).toBe("bellhop-agent");
    expect(socket.get("SocketMode")).toBe("0600");
    expect(`JOB_SOCKET=${socket.get("ListenStream")}`).toBe(`${settings(unit()).get("Environment")}/%i.socket`);
  });

  test("of a job gives each socket's account a name that systemd accepts, of at most 31 characters", () => {
    const user = settings(unit({}, JOB_UNIT)).get("User") ?? "";
    const instances = JOB_SOCKETS.map((name) => /^bellhop-job@(\w+)\.socket$/u.exec(name)?.[1] ?? "");
    const names = instances.map((instance) => user.replace("%i", instance));
    expect(new Set(names).size).toBe(JOB_SLOTS.length);
    for (const name of names) expect(name).toMatch(/^[a-z_][a-z0-9_-]{0,30}$/u);
    expect(settings(unit({}, JOB_SOCKET_UNIT)).has("Accept")).toBe(false);
    expect(unit()).toContain(`\nWants=${JOB_SOCKETS.join(" ")}\n`);
  });

  test("of a job alone changes to allow sudo", () => {
    const job = settings(unit({ allowSudo: true }, JOB_UNIT));
    expect(job.get("User")).toBe("bellhop-job");
    for (const name of ["DynamicUser", "NoNewPrivileges", "RestrictSUIDSGID", "SystemCallFilter"]) {
      expect({ name, set: job.has(name) }).toEqual({ name, set: false });
    }
    expect(unit({ allowSudo: true })).toBe(unit());
  });

  test("quotes values that a unit would misread", () => {
    const executable = "/opt/my $agents/100%";
    expect(settings(unit({ executable })).get("ExecStart")).toBe('"/opt/my $$agents/100%%" run');
    const job = settings(unit({ executable, writable: ["/srv/reports", "/a b"] }, JOB_UNIT));
    expect(job.get("ReadWritePaths")).toBe('-/srv/reports "-/a b"');
  });

  test("is recognized as written by install or as changed by hand", () => {
    const old = unit({ executable: "/opt/bellhop-agent" });
    const wanted = unit();
    expect(unitState(null, wanted)).toBe("absent");
    expect(unitState(wanted, wanted)).toBe("same");
    expect(unitState(old, wanted)).toBe("ours");
    expect(unitState(old.replace("RestartSec=5", "RestartSec=50"), wanted)).toBe("changed");
    expect(unitState("[Service]\nExecStart=/bin/true\n", wanted)).toBe("changed");
  });
});

describe("the rule for polkit", () => {
  test.each<[string[], ReturnType<typeof parseAllowedUnits>]>([
    [[], null],
    [["all"], "all"],
    [
      ["nginx", "app.socket", "worker@2"],
      ["nginx.service", "app.socket", "worker@2.service"],
    ],
  ])("allows %p: %p", (values, units) => {
    expect(parseAllowedUnits(values)).toEqual(units);
    if (units !== null) expect(allowedUnitsIn(polkitRule("a", units))).toEqual([units].flat());
  });

  test.each([[["all", "nginx"]], [["nginx;rm"]], [["a/b"]], [[""]]])("refuses %p", (values) => {
    expect(() => parseAllowedUnits(values)).toThrow("--allow-os-services");
  });

  test.each([
    ["bhjob-7", "no"],
    ["bellhop-job", "no"],
    // Without nss-systemd.
    ["61184", "no"],
    ["bellhop-agent", undefined],
    ["bhjob-7a", undefined],
    ["root", undefined],
  ])("denies jobs every action: %p gets %p", (user, answer) => {
    const rules: ((action: object, subject: object) => unknown)[] = [];
    const polkit = { addRule: (rule: (typeof rules)[number]) => rules.push(rule), Result: { NO: "no" } };
    new Function("polkit", jobPolkitRule())(polkit);
    expect(rules[0]?.({ id: "org.freedesktop.login1.set-self-linger" }, { user })).toBe(answer);
  });

  test("applies to that user, those units and those verbs alone", () => {
    const rules: ((action: object, subject: object) => unknown)[] = [];
    const polkit = { addRule: (rule: (typeof rules)[number]) => rules.push(rule), Result: { YES: "yes" } };
    new Function("polkit", polkitRule("bellhop-agent", ["nginx.service"]))(polkit);
    const ask = (id: string, verb: string, unit: string, user = "bellhop-agent") =>
      rules[0]?.({ id, lookup: (name: string) => ({ verb, unit })[name] }, { user });
    const manage = "org.freedesktop.systemd1.manage-units";
    expect(ask(manage, "restart", "nginx.service")).toBe("yes");
    expect(ask(manage, "restart", "sshd.service")).toBeUndefined();
    expect(ask(manage, "kill", "nginx.service")).toBeUndefined();
    expect(ask(manage, "restart", "nginx.service", "www-data")).toBeUndefined();
    expect(ask("org.freedesktop.login1.reboot", "restart", "nginx.service")).toBeUndefined();
  });
});

describe("the service's env file", () => {
  test("keeps comments, order and other lines, changes values and adds new ones", () => {
    const before = "# mine\nAGENT_API_URL=https://old.example.com\n\nPOLL_INTERVAL= 2 \nOTHER=1\n";
    const after = mergedEnvText(before, {
      AGENT_API_URL: "https://new.example.com",
      POLL_INTERVAL: "2",
      LOG_LEVEL: "DEBUG",
    });
    expect(after).toBe(
      "# mine\nAGENT_API_URL=https://new.example.com\n\nPOLL_INTERVAL= 2 \nOTHER=1\nLOG_LEVEL=DEBUG\n",
    );
    expect(mergedEnvText(after, { LOG_LEVEL: "DEBUG" })).toBe(after);
  });

  test("begins with its purpose, and both of its readers can read it", () => {
    const text = mergedEnvText("", { AGENT_API_KEY: "secret" });
    expect(text).toStartWith("# The configuration of the Bellhop agent");
    expect(parseEnvFile(text, "posix")).toEqual({ ok: true, variables: { AGENT_API_KEY: "secret" } });
  });

  test("is shown without its secrets", () => {
    const shown = shownEnvText("AGENT_API_KEY=k1\nADMIN_TOKEN=k2\nHTTPS_PROXY=http://a:k3@p\nAGENT_NAME=web\n");
    expect(shown).toBe("AGENT_API_KEY=***\nADMIN_TOKEN=***\nHTTPS_PROXY=***\nAGENT_NAME=web\n");
  });
});

test("a diff shows the changed lines with their context", () => {
  expect(lineDiff("a\nb\nc\nd\ne", "a\nb\nX\nd\ne")).toEqual(["  b", "- c", "+ X", "  d"]);
  expect(lineDiff("a", "a")).toEqual([]);
  expect(lineDiff("a\nb", "b\nc")).toEqual(["- a", "  b", "+ c"]);
});

describe("the arguments of service", () => {
  test.each<[string[], ReturnType<typeof parseServiceCommand>]>([
    [["status", "--json"], { verb: "status", json: true }],
    [["uninstall", "--purge"], { verb: "uninstall", purge: true }],
  ])("are parsed: %p is %p", (args, command) => {
    expect(parseServiceCommand(args, "linux")).toEqual(command);
  });

  test.each([
    [[], "say what to do"],
    [["start"], "say what to do"],
    [["install", "--key", "bhcanary"], "there is no option --key"],
    [["install", "bhcanary"], "takes options only"],
    [["install", "--user", "a", "--user", "b"], "--user was given twice"],
    [["install", "--writable", "reports"], "the absolute path of a directory"],
    [["status", "--json=yes"], "--json takes no value"],
  ])("are refused in %p, without repeating a word that may be a key", (args, said) => {
    expect(() => parseServiceCommand(args, "linux")).toThrow(said);
    expect(() => parseServiceCommand(args, "linux")).not.toThrow("canary");
  });

  test("cannot choose a user on Windows", () => {
    expect(() => parseServiceCommand(["install", "--user", "root"], "win32")).toThrow("there is no option --user");
  });
});

describe("the service on Windows", () => {
  const places = {
    executable: "C:\\Program Files\\Bellhop\\bellhop-agent.exe",
    envFile: "C:\\R&D\\agent.env",
    log: "C:\\R&D\\agent.log",
  };

  test("is a task that starts with the system as LocalSystem, has no time limit, and restarts after every end", () => {
    const xml = taskXml(places);
    for (const part of [
      "<BootTrigger>",
      "<UserId>S-1-5-18</UserId>",
      "<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>",
      "<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>",
      "<Command>&quot;C:\\Program Files\\Bellhop\\bellhop-agent.exe&quot;</Command>",
      "<Arguments>run --env-file &quot;C:\\R&amp;D\\agent.env&quot; --log-file &quot;C:\\R&amp;D\\agent.log&quot; --hold-superseded</Arguments>",
    ]) {
      expect(xml).toContain(part);
    }
    expect(xml).not.toContain("R&D");
    expect(xml).toMatch(/<TimeTrigger>\s*<Repetition>\s*<Interval>PT1M<\/Interval>/u);
  });

  test("has a task file in UTF-16 with a byte order mark and CRLF line ends", () => {
    const bytes = taskXmlBytes(taskXml(places));
    expect([...bytes.subarray(0, 2)]).toEqual([0xff, 0xfe]);
    expect(bytes.toString("utf16le").slice(1)).toStartWith('<?xml version="1.0" encoding="UTF-16"?>\r\n<Task');
  });

  test("passes names to schtasks that are the same in every language", () => {
    expect(SCHTASKS.create("C:\\t.xml")).toEqual(["/Create", "/TN", "Bellhop Agent", "/XML", "C:\\t.xml", "/F"]);
  });

  test("runs from a directory that only administrators may write", () => {
    expect(windowsPlaces({ ProgramFiles: "D:\\Programs" }).executable).toBe("D:\\Programs\\Bellhop\\bellhop-agent.exe");
  });
});
