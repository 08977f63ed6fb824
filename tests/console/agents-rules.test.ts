import { describe, expect, test } from "bun:test";
import { connectionsOf, inItsVault } from "../../console/views/agents/connections-of.ts";
import { healthLabel, statusLabel } from "../../console/views/agents/health-labels.ts";
import { matchesFilter } from "../../console/views/agents/filter.ts";
import {
  installCommands,
  isReleasedFor,
  originOfScript,
  reachOf,
  rekeyCommands,
} from "../../console/views/agents/install-commands.ts";
import { poolStateOf } from "../../console/views/agents/pool-state.ts";
import type { AgentView } from "../../schema/contract/management.ts";
import { shellInstaller } from "../../worker/http/install/index.ts";

const NOW = Date.parse("2026-11-21T03:00:00Z");
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1_000).toISOString();

const AGENT: AgentView = {
  id: "agt_1",
  name: "web-1",
  description: null,
  poolId: "web",
  status: "Online",
  healthScore: 100,
  health: { heartbeatPoints: 50, successPoints: 50, finishedJobs: 0, succeededJobs: 0 },
  enabled: true,
  runningJobs: 0,
  lastHeartbeatAt: at(5),
  registration: null,
  revision: 1,
  createdAt: at(100),
  updatedAt: at(100),
};

describe("the reasons for a health score", () => {
  const why = (agent: Partial<AgentView>) => healthLabel({ ...AGENT, ...agent }, NOW)?.map((part) => part.why);
  const health = { heartbeatPoints: 0, successPoints: 10, finishedJobs: 5, succeededJobs: 1 };
  test.each([
    [{}, ["The last heartbeat came 5.0 s ago.", "No job ended in the last hour."]],
    [
      { health, lastHeartbeatAt: at(200) },
      ["The last heartbeat came 3 min 20 s ago.", "1 of 5 jobs succeeded in the last hour."],
    ],
    [
      { health, lastHeartbeatAt: at(5) },
      [
        "The last heartbeat came 5.0 s ago. The agent then reported that it stops.",
        "1 of 5 jobs succeeded in the last hour.",
      ],
    ],
    [
      { health, lastHeartbeatAt: at(5), rekeyed: true },
      [
        "The last heartbeat came 5.0 s ago. The key was regenerated after that.",
        "1 of 5 jobs succeeded in the last hour.",
      ],
    ],
    [{ lastHeartbeatAt: null }, ["No heartbeat yet.", "No job ended in the last hour."]],
  ])("for an agent with %j are %j", (agent, expected) => {
    expect(why(agent)).toEqual(expected);
  });

  test("the status of an agent that has not called with its new key names only the key", () => {
    const label = statusLabel({ ...AGENT, status: "Offline", rekeyed: true });
    expect(label).toBe("It gets no jobs until it connects with its new key.");
  });

  test("are null when the pool does not report the score's parts", () => {
    const { health: _, ...unreported } = AGENT;
    expect(healthLabel(unreported, NOW)).toBeNull();
  });
});

describe("the install commands", () => {
  const code = `bhe_${"c".repeat(43)}`;
  const { service, manual } = installCommands("https://bellhop.example.com", code);
  const rekey = rekeyCommands("https://bellhop.example.com");

  test("pass the enrolment code in a variable, never as an argument", () => {
    for (const command of [service.linux, manual.linux])
      expect(command).toContain(` | BELLHOP_ENROLMENT_CODE=${code} s`);
    for (const command of [service.windows, manual.windows])
      expect(command).toContain(`$env:BELLHOP_ENROLMENT_CODE = '${code}'`);
    expect(service.linux).not.toMatch(/sudo [^|]*bhe_/u);
  });

  test("of an installed agent ask for the new key and have no place for it on a command line", () => {
    expect(rekey.linux).toContain("read -rsp");
    for (const command of Object.values(rekey)) expect(command).not.toMatch(/--key[ =]|AGENT_API_KEY=|<key>/u);
  });

  test("are read completely by the shell before they run, so no pasted line becomes an answer", () => {
    for (const command of [service.linux, service.windows, manual.linux, rekey.linux, rekey.windows]) {
      expect(command).not.toContain("\n");
    }
    expect(manual.windows).toMatch(/^& \{\n[^]*\n\}$/u);
  });

  test("use the URL and the platforms that the deployment's install script names", () => {
    const sums = [{ target: "linux-x64", sha256: "a".repeat(64) }];
    const script = shellInstaller({ origin: "https://bellhop.example.com", version: "1.0.0", sums, publicKey: "" });
    expect(originOfScript(script)).toBe("https://bellhop.example.com");
    expect(originOfScript("<html>")).toBeNull();
    expect([isReleasedFor(script, "linux"), isReleasedFor(script, "windows")]).toEqual([true, false]);
  });

  test.each([
    ["https://bellhop.example.com", "everywhere"],
    ["http://bellhop.example.com", "no"],
    ["http://localhost:8787", "here"],
    ["http://127.0.0.1:8787", "here"],
  ] as const)("of agents with %s work: %s", (origin, expected) => {
    expect(reachOf(origin)).toBe(expected);
  });
});

describe("the connections of an agent", () => {
  const credential = (agentId: string, version: number, status: "pending" | "failed" = "pending") => ({
    agentId,
    version,
    status,
    error: null,
    updatedAt: null,
  });
  const connections = [
    { id: "of the pool", agentId: null, poolId: "web", credentials: [credential("agt_1", 2), credential("agt_2", 0)] },
    { id: "of it alone", agentId: "agt_1", poolId: null, credentials: [credential("agt_1", 0)] },
    { id: "of others", agentId: "agt_2", poolId: null, credentials: [credential("agt_2", 1)] },
    { id: "refused once", agentId: null, poolId: "web", credentials: [credential("agt_1", 0, "failed")] },
  ];
  const ids = (some: { id: string }[]) => some.map(({ id }) => id);
  test("name the agent or its pool; an agent without a pool shares no connections", () => {
    expect(ids(connectionsOf(connections, AGENT))).toEqual(["of the pool", "of it alone", "refused once"]);
    expect(ids(connectionsOf(connections, { id: "agt_2", poolId: null }))).toEqual(["of others"]);
  });
  test("whose credentials a lost vault held are those with a delivery, not those without one", () => {
    expect(ids(inItsVault(connections, "agt_1"))).toEqual(["of the pool", "refused once"]);
  });
});

describe("the filter for agents", () => {
  test.each([
    [{ text: "WEB", status: "", pool: "" }, true],
    [{ text: "web nowhere", status: "", pool: "" }, false],
    [{ text: "", status: "Offline", pool: "" }, false],
    [{ text: "", status: "disabled", pool: "" }, false],
    [{ text: "", status: "Online", pool: "web" }, true],
    [{ text: "", status: "", pool: "db" }, false],
  ])("%j matches web-1 in pool web: %p", (filter, expected) => {
    expect(matchesFilter(AGENT, filter)).toBe(expected);
  });
});

describe("a pool's state", () => {
  const member = (changes: object = {}) => ({
    agentId: "agt_1",
    name: "web-1",
    status: "Online" as const,
    healthScore: 100,
    enabled: true,
    runningJobs: 1,
    maxConcurrentJobs: 5,
    lastHeartbeatAt: null,
    ...changes,
  });
  test.each([
    [[member()], 0, "Ready", "1 of 1 agent ready · 1 running · 0 waiting"],
    [[member(), member({ status: "Offline" })], 1, "Queueing", "1 of 2 agents ready · 2 running · 1 waiting"],
    [[member({ status: "Degraded" })], 0, "Degraded", "1 of 1 agent ready · 1 running · 0 waiting"],
    [[member({ enabled: false })], 2, "Jobs waiting", "0 of 1 agent ready · 1 running · 2 waiting"],
    [
      [member({ status: "Offline", runningJobs: 0 })],
      0,
      "No agent ready",
      "0 of 1 agent ready · 0 running · 0 waiting",
    ],
    [[member({ draining: true })], 0, "No agent ready", "0 of 1 agent ready · 1 running · 0 waiting"],
    [[], 0, "No agent", "no agent · 0 running · 0 waiting"],
    [[], 3, "Jobs waiting", "no agent · 0 running · 3 waiting"],
  ])("with the members %j and %p waiting jobs is %p", (members, queueDepth, label, counts) => {
    expect(poolStateOf({ members, queueDepth })).toMatchObject({ label, counts });
  });
});
