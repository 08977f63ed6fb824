import { describe, expect, test } from "bun:test";
import { chosenBy, mostUseful, occurrences } from "../../console/views/executions/iterations.ts";
import {
  NO_FILTER,
  changeFilter,
  countFilters,
  filterAt,
  fromLocalField,
  readFilter,
  toLocalField,
} from "../../console/views/executions/list-filter.ts";
import { NOTHING_REPORTED, release, rowsOf, takeIn } from "../../console/views/executions/live-list.ts";
import { laterOf, mergeChanges } from "../../console/views/executions/merge-events.ts";
import { graphStates } from "../../console/views/executions/node-states.ts";
import { rerunPlan } from "../../console/views/executions/rerun-plan.ts";
import { shownStatus } from "../../console/views/executions/run-status.ts";
import type { ExecutionView, NodeRunView, Timeline } from "../../schema/contract/execution.ts";
import type { ActionNode, Definition } from "../../schema/contract/workflow.ts";

const NEVER: Timeline = {
  queuedAt: null,
  assignedAt: null,
  deliveredAt: null,
  startedAt: null,
  finishedAt: null,
  reportedAt: null,
};
const second = (count: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, count)).toISOString();

function run(nodeId: string, status: NodeRunView["status"], more: Partial<NodeRunView> = {}): NodeRunView {
  const iteration = more.iteration;
  return {
    id: `run_${nodeId}_${iteration?.join(".") ?? ""}`,
    nodeId,
    status,
    outcome: status === "succeeded" ? "success" : status === "failed" ? "failure" : null,
    attempt: 1,
    jobId: null,
    childExecutionId: null,
    output: null,
    error: status === "failed" ? { code: "nonzero_exit", message: "It failed." } : null,
    waitingFor: null,
    waiting: null,
    timeline: NEVER,
    ...more,
  };
}

function execution(more: Partial<ExecutionView> = {}): ExecutionView {
  return {
    id: "exe_1",
    workflowId: "wf_1",
    versionId: "wfv_1",
    status: "running",
    trigger: { type: "manual", variables: {}, by: null },
    startedAt: second(0),
    finishedAt: null,
    error: null,
    revision: 1,
    retryOf: null,
    parentExecutionId: null,
    nodeRuns: [],
    ...more,
  };
}

const bash = (id: string): ActionNode => ({
  id,
  type: "action",
  action: "script.bash",
  params: { script: "true" },
  timeoutSeconds: 300,
});
const LOOP: Definition = {
  nodes: [
    bash("first"),
    {
      id: "hosts",
      type: "forEach",
      items: "{{webhook.hosts}}",
      body: { nodes: [bash("restart"), bash("repair")], edges: [{ from: "restart", to: "repair", on: "failure" }] },
    },
    bash("last"),
  ],
  edges: [
    { from: "first", to: "hosts", on: "success" },
    { from: "hosts", to: "last", on: "success" },
  ],
};

describe("the nodes of an execution", () => {
  const inLoop = (index: number, restart: NodeRunView["status"], repair: NodeRunView["status"]) => [
    run("restart", restart, { iteration: [index], index }),
    run("repair", repair, { iteration: [index], index }),
  ];
  const nodeRuns = [
    run("first", "succeeded"),
    run("hosts", "running"),
    run("last", "pending"),
    ...inLoop(0, "succeeded", "skipped"),
    ...inLoop(1, "failed", "succeeded"),
    ...inLoop(2, "failed", "failed"),
    ...inLoop(3, "running", "pending"),
    ...inLoop(4, "waiting", "pending"),
  ];

  test("in a forEach are those of the first failed iteration, until another one is chosen", () => {
    const found = occurrences(LOOP, nodeRuns, new Map());
    expect(found.map(({ node }) => node.id)).toEqual(["first", "hosts", "restart", "repair", "last"]);
    const [, hosts, restart, repair] = found;
    // A failure that the body handles does not fail the iteration.
    expect(hosts?.iterations.map(({ status }) => status)).toEqual([
      "succeeded",
      "succeeded",
      "failed",
      "running",
      "waiting",
    ]);
    expect([hosts?.current, restart?.run?.iteration, restart?.handled, repair?.handled]).toEqual([2, [2], true, false]);
    expect(mostUseful(found)?.node.id).toBe("repair");

    const chosen = occurrences(LOOP, nodeRuns, chosenBy(LOOP, "restart", [3]));
    expect(chosen[2]?.run?.status).toBe("running");
    expect(chosenBy(LOOP, "hosts", [4])).toEqual(new Map([["hosts", 4]]));
    expect(occurrences(LOOP, nodeRuns, new Map([["hosts", 99]]))[1]?.current).toBe(2);
  });

  test("are drawn with their outcome and the number of iterations by status", () => {
    const states = graphStates(occurrences(LOOP, nodeRuns, new Map()));
    expect(states.get("first")).toEqual({ status: "succeeded", outcomes: ["success"] });
    expect(states.get("hosts")).toMatchObject({
      status: "running",
      counts: { succeeded: 2, failed: 1, running: 1, waiting: 1 },
      note: "showing item 3",
    });
    expect(graphStates(occurrences(LOOP, [], new Map())).size).toBe(0);
  });

  test("that a retry runs again follow the engine's rule; unsafe actions that an agent had are listed", () => {
    const withAgent = { timeline: { ...NEVER, deliveredAt: second(1) } };
    const failed = execution({
      status: "failed",
      nodeRuns: [
        run("first", "succeeded", withAgent),
        run("hosts", "failed"),
        run("last", "skipped"),
        run("restart", "succeeded", { iteration: [0], index: 0, ...withAgent }),
        run("repair", "skipped", { iteration: [0], index: 0 }),
        run("restart", "failed", { iteration: [1], index: 1, ...withAgent }),
        run("repair", "failed", { iteration: [1], index: 1, ...withAgent }),
      ],
    });
    expect(rerunPlan(LOOP, failed, "failed")).toEqual({
      again: ["hosts", "last"],
      kept: ["first"],
      unsafeAgain: ["restart", "repair"],
    });
    expect(rerunPlan(LOOP, failed, "start")).toEqual({
      again: ["first", "hosts", "last"],
      kept: [],
      unsafeAgain: ["first", "restart (2 times)", "repair"],
    });
  });
});

describe("the stream of an execution", () => {
  const known = execution({ revision: 3, nodeRuns: [run("first", "running"), run("last", "pending")] });

  test("changes the reported node runs and keeps the place of the others", () => {
    const { nodeRuns, ...summary } = execution({ revision: 4, status: "succeeded" });
    const merged = mergeChanges(known, [
      { type: "nodeRun", nodeRun: run("first", "succeeded") },
      { type: "nodeRun", nodeRun: run("new", "pending") },
      { type: "execution", execution: summary },
    ]);
    expect(merged?.status).toBe("succeeded");
    expect(merged?.nodeRuns.map(({ nodeId, status }) => `${nodeId} ${status}`)).toEqual([
      "first succeeded",
      "last pending",
      "new pending",
    ]);
    expect(nodeRuns).toEqual([]);
  });

  test("replaces the state after a reconnect, and a late change undoes nothing", () => {
    const whole = execution({ revision: 2, nodeRuns: [run("first", "waiting")] });
    expect(mergeChanges(known, [{ type: "execution", execution: whole }])).toEqual(whole);
    const { nodeRuns: _none, ...older } = execution({ revision: 1, status: "failed" });
    expect(mergeChanges(known, [{ type: "execution", execution: older }])).toMatchObject({ status: "running" });
    expect(laterOf(known, whole)).toBe(known);
    expect(laterOf(undefined, whole)).toBe(whole);
    expect(mergeChanges(null, [{ type: "nodeRun", nodeRun: run("first", "running") }])).toBeNull();
  });
});

describe("the list of executions", () => {
  const at = (id: number, more: Partial<ExecutionView> = {}) =>
    execution({ id: `exe_${id}`, startedAt: second(id), ...more });
  const everything = { workflowId: null, status: null, trigger: null, from: null, to: null };
  const listed = [at(5), at(4)];
  const reported = [at(6), at(5, { status: "failed", revision: 2 }), at(3), at(7, { workflowId: "wf_2" })];

  test("takes in new executions and changes, and no execution older than its last row", () => {
    const live = takeIn(NOTHING_REPORTED, reported, listed, {
      filter: { ...everything, workflowId: "wf_1" },
      hold: false,
      whole: false,
    });
    expect(rowsOf(listed, live).map(({ id, status }) => `${id} ${status}`)).toEqual([
      "exe_6 running",
      "exe_5 failed",
      "exe_4 running",
    ]);
    const whole = takeIn(NOTHING_REPORTED, reported, listed, { filter: everything, hold: false, whole: true });
    expect(rowsOf(listed, whole).map(({ id }) => id)).toEqual(["exe_7", "exe_6", "exe_5", "exe_4", "exe_3"]);
  });

  test("holds new executions back while a person reads, and counts each once", () => {
    const options = { filter: everything, hold: true, whole: false };
    const live = takeIn(takeIn(NOTHING_REPORTED, reported, listed, options), [at(6, { revision: 2 })], listed, options);
    expect(live.held.size).toBe(2);
    expect(rowsOf(listed, live).map(({ id, status }) => `${id} ${status}`)).toEqual(["exe_5 failed", "exe_4 running"]);
    const shown = release(live);
    expect(rowsOf(listed, shown).map(({ id, revision }) => `${id} ${revision}`)).toEqual([
      "exe_7 1",
      "exe_6 2",
      "exe_5 2",
      "exe_4 1",
    ]);
  });

  test("is filtered by its URL, which has instants in UTC", () => {
    const query = new URLSearchParams("workflowId=wf_1&status=failed&from=2026-01-02T03:04:00%2B02:00&to=soon&x=1");
    expect(readFilter(query)).toEqual({
      workflowId: "wf_1",
      status: "failed",
      trigger: null,
      last: null,
      from: "2026-01-02T01:04:00.000Z",
      to: null,
    });
    expect(readFilter(new URLSearchParams("status=odd&workflowId=&trigger=x&last=2y"))).toEqual(NO_FILTER);
    expect(String(changeFilter(query, { status: null, from: null, to: null }))).toBe("workflowId=wf_1&x=1");
    const field = toLocalField("2026-01-02T01:04:30.000Z");
    expect(fromLocalField(field, "begins")).toBe("2026-01-02T01:04:00.000Z");
    expect(fromLocalField(field, "ends")).toBe("2026-01-02T01:04:59.999Z");
    expect(fromLocalField("", "begins")).toBeNull();
  });

  test("shows a span up to now, which counts as one filter and replaces a range", () => {
    const chosen = readFilter(new URLSearchParams("last=1h&trigger=cron&from=2026-01-01T00:00:00Z"));
    expect(chosen).toEqual({ ...NO_FILTER, last: "1h", trigger: "cron" });
    expect(countFilters(chosen)).toBe(2);
    expect(countFilters({ ...NO_FILTER, from: second(1), to: second(2) })).toBe(1);
    const now = Date.parse("2026-01-02T01:00:00.000Z");
    expect(filterAt(chosen, now)).toEqual({ ...everything, trigger: "cron", from: "2026-01-02T00:00:00.000Z" });
  });

  test("shows a row as waiting until a read, or its end, says otherwise: the feed does not say it", () => {
    const options = { filter: everything, hold: false, whole: true };
    const rows = [at(5, { isWaiting: true }), at(4, { isWaiting: false })];
    const shown = (live: typeof NOTHING_REPORTED) => rowsOf(rows, live).map((row) => shownStatus(row, row.isWaiting));
    const stepped = takeIn(NOTHING_REPORTED, [at(5, { revision: 2 }), at(4, { revision: 2 })], rows, options);
    expect(shown(stepped)).toEqual(["waiting", "running"]);
    const read = [at(5, { revision: 2, isWaiting: false }), at(4, { revision: 2, isWaiting: true })];
    expect(shown(takeIn(stepped, read, rows, options))).toEqual(["running", "waiting"]);
    // A job gets its agent without a new revision.
    expect(shown(takeIn(NOTHING_REPORTED, [at(5, { isWaiting: false })], rows, options))).toEqual([
      "running",
      "running",
    ]);
    const over = takeIn(stepped, [at(5, { status: "failed", revision: 3 })], rows, options);
    expect(shown(over)).toEqual(["failed", "running"]);
  });

  test("that waits changes its rows by reports, and gets new ones from reads only", () => {
    const filter = { ...everything, status: "waiting" as const };
    const options = { filter, hold: false, whole: true };
    const known = takeIn(NOTHING_REPORTED, [at(5, { status: "failed", revision: 2 }), at(6)], listed, {
      ...options,
      adds: false,
    });
    expect(rowsOf(listed, known).map(({ id, status }) => `${id} ${status}`)).toEqual(["exe_5 failed", "exe_4 running"]);
    expect(rowsOf(listed, takeIn(known, [at(6)], listed, options)).map(({ id }) => id)).toEqual([
      "exe_6",
      "exe_5",
      "exe_4",
    ]);
  });
});
