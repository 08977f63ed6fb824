import { describe, expect, test } from "bun:test";
import { heightOf, linePath, roundMax, ticks } from "../../console/views/overview/chart-scale.ts";
import { credentialTrouble } from "../../console/views/overview/credential-trouble.ts";
import { currentNode } from "../../console/views/overview/current-node.ts";
import { byWorkflow } from "../../console/views/overview/failures.ts";
import { byNeed, countAgents, troubledAgents, waitingReasons } from "../../console/views/overview/health.ts";
import { newest, remember } from "../../console/views/overview/newest.ts";
import type { AgentCredential } from "../../schema/contract/credential.ts";
import type { ExecutionStatus, ExecutionSummary, NodeRunView } from "../../schema/contract/execution.ts";
import type { Waiting } from "../../schema/contract/waiting.ts";

const execution = (id: string, status: ExecutionStatus, changes: Partial<ExecutionSummary> = {}): ExecutionSummary => ({
  id,
  workflowId: "wf_1",
  versionId: "wfv_1",
  status,
  trigger: { type: "manual", variables: {}, by: null },
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  error: null,
  revision: 1,
  retryOf: null,
  parentExecutionId: null,
  ...changes,
});
const reported = (...executions: ExecutionSummary[]) => remember(new Map(), executions);

describe("executions from a read and from the feed", () => {
  test("are merged by the highest revision, newest first", () => {
    const read = [execution("c", "running"), execution("b", "running", { revision: 7 }), execution("a", "running")];
    const since = reported(
      execution("d", "running"),
      execution("c", "succeeded", { revision: 2 }),
      // Reported before the list was read.
      execution("b", "running", { revision: 3 }),
    );
    expect(newest(read, since, "running").map(({ id, revision }) => [id, revision])).toEqual([
      ["d", 1],
      ["b", 7],
      ["a", 1],
    ]);
    expect(newest(read, since, "failed")).toEqual([]);
  });

  test("are filtered by the time of their end, not of their start", () => {
    const late = execution("c", "failed", { finishedAt: "2026-01-02T00:00:00.000Z" });
    const early = execution("b", "failed", { finishedAt: "2026-01-01T11:00:00.000Z" });
    const read = [execution("a", "failed", { finishedAt: "2026-01-01T12:00:00.000Z" })];
    const shown = newest(read, reported(early, late), "failed", "2026-01-01T12:00:00.000Z");
    expect(shown.map(({ id }) => id)).toEqual(["c", "a"]);
  });

  test("are kept up to a bound, the last reported ones", () => {
    let known = reported();
    for (let n = 0; n < 2_000; n += 1) known = remember(known, [execution(`e${n}`, "running")]);
    expect([known.size, known.has("e1999"), known.has("e0")]).toEqual([500, true, false]);
  });

  test("that failed are one row per workflow, the newest failure first", () => {
    const failed = [
      execution("d", "failed"),
      execution("c", "failed", { workflowId: "wf_2" }),
      execution("b", "failed"),
      execution("a", "failed"),
    ];
    expect(byWorkflow(failed).map(({ newest: { id }, count }) => [id, count])).toEqual([
      ["d", 3],
      ["c", 1],
    ]);
  });
});

describe("an execution's current node", () => {
  const run = (nodeId: string, status: NodeRunView["status"], waiting: Waiting | null = null): NodeRunView => ({
    id: nodeId,
    nodeId,
    status,
    waitingFor: waiting?.detail ?? null,
    waiting,
    outcome: null,
    attempt: 1,
    jobId: null,
    childExecutionId: null,
    output: null,
    error: null,
    timeline: {
      queuedAt: null,
      assignedAt: null,
      deliveredAt: null,
      startedAt: null,
      finishedAt: null,
      reportedAt: null,
    },
  });

  test.each([
    [[], null],
    [[run("a", "succeeded"), run("b", "pending")], null],
    [[run("a", "succeeded"), run("b", "running")], { nodeId: "b", waits: null, others: 0 }],
    [
      [
        run("a", "running"),
        run("b", "waiting", { code: "approval", detail: "someone's approval" }),
        run("c", "running"),
      ],
      { nodeId: "b", waits: "Waiting for someone's approval.", others: 2 },
    ],
    [
      [run("a", "running", { code: "sub_workflow", executionId: "exe_01", detail: "the execution exe_01 to end" })],
      { nodeId: "a", waits: "Waiting for the sub-workflow to end.", others: 0 },
    ],
    [
      [run("a", "waiting", { code: "no_agent", detail: "The pool has no agent yet." })],
      { nodeId: "a", waits: "The pool has no agent yet.", others: 0 },
    ],
  ])("is a waiting node before a running one, with the reason as a sentence: %#", (runs, expected) => {
    expect(currentNode(runs)).toEqual(expected);
  });

  test("shows a time as a date for people", () => {
    const until = "2026-01-05T10:00:00.000Z";
    const detail = `attempt 2, which begins at ${until}`;
    expect(currentNode([run("a", "waiting", { code: "retry", until, detail })])?.waits).toContain("5 Jan 2026");
  });
});

describe("agents on the overview", () => {
  const lastHeartbeatAt = "2026-01-01T00:00:00.000Z";
  const agent = (status: "Online" | "Degraded" | "Offline", healthScore: number, changes: object = {}) => ({
    status,
    healthScore,
    enabled: true,
    lastHeartbeatAt,
    ...changes,
  });

  test("that are disabled count as disabled, not by their status", () => {
    const agents = [
      agent("Online", 100),
      agent("Online", 100, { enabled: false }),
      agent("Degraded", 60),
      agent("Offline", 0),
      agent("Offline", 0, { enabled: false }),
    ];
    expect(countAgents(agents)).toEqual({ Online: 1, Degraded: 1, Offline: 1, disabled: 2 });
  });

  test("need attention when they are unhealthy: the worst first, without disabled and never started ones", () => {
    const agents = [
      agent("Online", 100),
      agent("Online", 69),
      agent("Degraded", 72),
      agent("Offline", 10),
      agent("Offline", 0, { enabled: false }),
      agent("Offline", 0, { lastHeartbeatAt: null }),
    ];
    expect(troubledAgents(agents).map(({ healthScore }) => healthScore)).toEqual([10, 69, 72]);
  });

  test("make jobs wait: each reason is a phrase, counted when there are several", () => {
    expect(waitingReasons([])).toEqual([]);
    expect(waitingReasons([{ code: "full" }, { code: "full" }])).toEqual(["agents are busy"]);
    expect(waitingReasons([{ code: "offline" }, { code: "full" }, { code: "full" }])).toEqual([
      "2: agents are busy",
      "1: agents are offline",
    ]);
  });
});

describe("a connection's credential", () => {
  const share = (status: AgentCredential["status"], version = 1, error: string | null = null): AgentCredential => ({
    agentId: "agt_1",
    status,
    version,
    error,
    updatedAt: null,
  });
  const of = (status: AgentCredential["status"] | null, credentials: AgentCredential[], enabled = true) =>
    credentialTrouble({ enabled, credentialStatus: status, credentials });

  test.each([
    ["that the connection does not need", of(null, [])],
    ["that is delivered", of("delivered", [share("delivered")])],
    ["of a disabled connection", of("failed", [share("failed")], false)],
  ])("%s is not a problem", (_name, trouble) => {
    expect(trouble).toBeNull();
  });

  test.each([
    ["No agent can receive it yet.", of("pending", [])],
    ["Not delivered yet.", of("pending", [share("pending", 0), share("delivered")])],
    ["2 agents have not fetched it yet.", of("pending", [share("pending"), share("pending")])],
    ["Its agent did not fetch it in time. Deliver it again.", of("expired", [share("expired")])],
    ["The vault is read-only.", of("failed", [share("pending"), share("failed", 1, "The vault is read-only.")])],
  ])("has the problem: %s", (message, trouble) => {
    expect(trouble?.message).toBe(message);
  });
});

describe("a chart's scale", () => {
  test.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [9, 10],
    [11, 20],
    [54, 60],
    [61, 80],
    [100, 100],
    [2_345, 4_000],
  ])("for a highest value of %d ends at %d", (highest, end) => {
    expect(roundMax(highest)).toBe(end);
  });

  test("has a middle line when half of the maximum is a whole number", () => {
    expect([ticks(60), ticks(1)]).toEqual([
      [60, 30, 0],
      [1, 0],
    ]);
    expect([heightOf(0, 60), heightOf(30, 60), heightOf(60, 60)]).toEqual([100, 50, 0]);
  });

  test("has lines with a gap for each missing value, and a dash for a value without neighbours", () => {
    expect(linePath([10, 5, null, 0], 10)).toBe("M12.5 0L37.5 50M75 100L100 100");
    expect(linePath([null, null], 10)).toBe("");
  });
});

test("pools are sorted: no agent can take jobs, then an unhealthy agent, then the others by name", () => {
  const pool = (id: string, agentCount = 1) => ({ id, agentCount });
  const agent = (poolId: string, status: "Online" | "Degraded" | "Offline", enabled = true) => ({
    poolId,
    status,
    enabled,
  });
  const agents = [
    agent("well", "Online"),
    agent("well", "Offline", false),
    agent("degraded", "Degraded"),
    agent("half", "Online"),
    agent("half", "Offline"),
    agent("off", "Offline"),
    agent("disabled", "Online", false),
    agent("also well", "Online"),
  ];
  const pools = ["well", "half", "disabled", "also well", "off", "degraded"].map((id) => pool(id));
  const shown = byNeed([...pools, pool("empty", 0), pool("not read", 3)], agents).map(({ id }) => id);
  expect(shown).toEqual(["disabled", "empty", "off", "degraded", "half", "also well", "not read", "well"]);
});
