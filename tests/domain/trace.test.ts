import { describe, expect, test } from "bun:test";
import type { EndedExecution, EndedJob } from "../../worker/domain/trace/ended-execution.ts";
import { executionSpans } from "../../worker/domain/trace/execution-spans.ts";
import { toOtlp } from "../../worker/domain/trace/otlp.ts";
import { derivedSpanId, isSampled, spanIdOf, traceIdOf, traceparentOf } from "../../worker/domain/trace/trace-ids.ts";
import { newId } from "../../worker/services/ids.ts";

const AT = 1_800_000_000_000;
const EXECUTION = newId("execution", AT);
const RUN = newId("nodeRun", AT);
const JOB = newId("job", AT);
const VERSION = newId("workflowVersion", AT);
const ACTION = {
  id: "restart",
  name: "Restart it",
  type: "action",
  action: "script.bash",
  params: {},
  timeoutSeconds: 60,
} as const;
const DEFINITION = { nodes: [ACTION], edges: [] };

const job = (times: Partial<EndedJob["times"]> = {}, more: Partial<EndedJob> = {}): EndedJob => ({
  id: JOB,
  nodeRunId: RUN,
  action: "script.bash",
  effect: "unsafe",
  connectionId: "con_1",
  poolObject: "pool:p",
  agentId: "agt_1",
  status: "succeeded",
  attempt: 1,
  errorCode: null,
  lost: [],
  times: {
    queuedAt: AT + 10,
    assignedAt: AT + 20,
    deliveredAt: AT + 30,
    startedAt: AT + 40,
    finishedAt: AT + 90,
    reportedAt: AT + 100,
    ...times,
  },
  ...more,
});

const execution = (more: Partial<EndedExecution> = {}): EndedExecution => ({
  id: EXECUTION,
  workflowId: "wf_1",
  workflowName: "Repair",
  versionId: VERSION,
  status: "succeeded",
  trigger: "webhook",
  rootId: EXECUTION,
  parentNodeRunId: null,
  repeats: null,
  follows: null,
  startedAt: AT,
  begunAt: AT + 5,
  finishedAt: AT + 110,
  errorCode: null,
  suppressedAs: null,
  nodeRuns: [
    {
      id: RUN,
      nodeId: "restart",
      path: [],
      status: "succeeded",
      outcome: "success",
      attempt: 1,
      jobId: JOB,
      childExecutionId: null,
      errorCode: null,
      queuedAt: AT + 10,
      startedAt: AT + 40,
      finishedAt: AT + 90,
    },
  ],
  jobs: [job()],
  isCut: false,
  ...more,
});
const named = (more: Partial<EndedExecution>, name: string) =>
  executionSpans(execution(more), DEFINITION).filter((span) => span.name === name);
const times = (more: Partial<EndedExecution>, name: string) =>
  named(more, name).map(({ startMs, endMs }) => [startMs - AT, endMs - AT]);

describe("ids", () => {
  test("of traces and spans are parts of the ids of the database, and no two parts of a job share one", () => {
    const id = "exe_01987a3b-1c2d-7e4f-8a5b-0123456789ab";
    expect([traceIdOf(id), spanIdOf(id)]).toEqual(["01987a3b1c2d7e4f8a5b0123456789ab", "8a5b0123456789ab"]);
    const stages = (["queued", "assigned", "delivered", "running", "reported", "start"] as const).map((kind) =>
      derivedSpanId(id, kind),
    );
    const items = Array.from({ length: 300 }, (_, index) => derivedSpanId(id, "item", index));
    const all = [spanIdOf(id), ...stages, ...items];
    expect(new Set(all).size).toBe(all.length);
    for (const one of all) expect(one).toMatch(/^[0-9a-f]{16}$/u);
  });

  test("make the trace context of a job, with the flag of its trace", () => {
    expect(traceparentOf(EXECUTION, JOB, 1)).toBe(`00-${traceIdOf(EXECUTION)}-${spanIdOf(JOB)}-01`);
    expect(traceparentOf(EXECUTION, JOB, 0)).toBe(`00-${traceIdOf(EXECUTION)}-${spanIdOf(JOB)}-00`);
  });
});

describe("a share of the traces", () => {
  const ids = Array.from({ length: 4_000 }, () => traceIdOf(newId("execution", AT)));

  test.each([
    [0, 0, 0],
    [0.5, 1_800, 2_200],
    [0.1, 300, 500],
    [1, 4_000, 4_000],
  ])("of %d is %d to %d of 4000, the same ones each time", (share, least, most) => {
    const chosen = ids.filter((id) => isSampled(id, share));
    expect(chosen.length).toBeGreaterThanOrEqual(least);
    expect(chosen.length).toBeLessThanOrEqual(most);
    expect(ids.filter((id) => isSampled(id, share))).toEqual(chosen);
  });

  test("includes every smaller share", () => {
    for (const id of ids) if (isSampled(id, 0.1)) expect(isSampled(id, 0.5)).toBe(true);
  });

  test("is the same for the same last 56 bits, as consistent sampling says", () => {
    const of = (random: string) => `01987a3b1c2d7e4f8a${random}`;
    expect(isSampled(of("7fffffffffffff"), 0.5)).toBe(false);
    expect(isSampled(of("80000000000000"), 0.5)).toBe(true);
  });
});

describe("spans", () => {
  test("of a job are its stages, each to the next one", () => {
    expect(
      executionSpans(execution(), DEFINITION).map(({ name, startMs, endMs }) => [name, startMs - AT, endMs - AT]),
    ).toEqual([
      ["Repair", 0, 110],
      ["start", 0, 5],
      ["Restart it", 10, 100],
      ["script.bash", 10, 100],
      ["queued", 10, 20],
      ["assigned", 20, 30],
      ["delivered", 30, 40],
      ["running", 40, 90],
      ["reported", 90, 100],
    ]);
  });

  test.each([
    ["ahead", 5_000, [50, 100]],
    ["behind", -5_000, [30, 80]],
  ])("stay within their job when the agent's clock is %s", (_, by, expected) => {
    const jobs = [job({ startedAt: AT + 40 + by, finishedAt: AT + 90 + by })];
    expect(times({ jobs }, "running")).toEqual([expected]);
  });

  test("of a job that no agent got end with the execution", () => {
    const none = { assignedAt: null, deliveredAt: null, startedAt: null, finishedAt: null, reportedAt: null };
    const jobs = [job(none, { status: "cancelled" })];
    expect(times({ jobs }, "queued")).toEqual([[10, 110]]);
    expect(named({ jobs }, "running")).toEqual([]);
  });

  test("never end before they begin, with any times", () => {
    const jobs = [job({ assignedAt: AT + 400, deliveredAt: AT - 3, startedAt: null, finishedAt: null })];
    for (const span of executionSpans(execution({ jobs, finishedAt: AT - 7 }), DEFINITION)) {
      expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
    }
  });

  test("name the code of a failure, and each agent that lost the job", () => {
    const lost = [{ agentId: "agt_0", deliveredAt: AT + 12, startedAt: null, lostAt: AT + 15, why: "it said no" }];
    const jobs = [job({}, { status: "failed", errorCode: "agent_lost", lost })];
    const [span] = named({ jobs }, "script.bash");
    expect(span).toMatchObject({
      error: "agent_lost",
      events: [{ name: "lost", atMs: AT + 15, attributes: { "bellhop.agent.id": "agt_0" } }],
    });
    expect(JSON.stringify(span)).not.toContain("it said no");
    expect(named({ status: "failed", errorCode: "boom" }, "Repair")[0]?.error).toBe("boom");
    expect(named({ status: "cancelled", errorCode: "cancelled" }, "Repair")[0]?.error).toBeNull();
  });

  test("leave out node runs that were skipped, or that a retry kept", () => {
    const [run] = execution().nodeRuns;
    if (run === undefined) throw new Error("there is no node run");
    const skipped = { ...run, jobId: null, queuedAt: null, startedAt: null, finishedAt: null };
    expect(named({ nodeRuns: [{ ...skipped, status: "skipped" }], jobs: [] }, "Restart it")).toEqual([]);
    expect(named({ jobs: [] }, "Restart it")).toEqual([]);
    const earlier = { ...skipped, startedAt: AT - 90, finishedAt: AT - 80 };
    expect(named({ nodeRuns: [earlier], jobs: [] }, "Restart it")).toEqual([]);
  });

  test("link to the execution that a run repeats, and to the failed one that started it", () => {
    const [repeated, failed, root] = [1, 2, 3].map((age) => newId("execution", AT - age)) as [string, string, string];
    const [span] = named(
      { repeats: { id: repeated, rootId: repeated }, follows: { id: failed, rootId: root } },
      "Repair",
    );
    expect(span?.links).toEqual([
      { traceId: traceIdOf(repeated), spanId: spanIdOf(repeated) },
      { traceId: traceIdOf(root), spanId: spanIdOf(failed) },
    ]);
  });

  test("in OTLP have times in nanoseconds, and no attribute without a value", () => {
    const request = toOtlp(named({}, "Repair"), { serviceName: "bellhop", version: "1" });
    const [span] = request.resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
    expect(span?.startTimeUnixNano).toBe(`${AT}000000`);
    expect(span?.attributes.map(({ key }) => key)).toEqual([
      "bellhop.execution.id",
      "bellhop.execution.status",
      "bellhop.execution.trigger",
      "bellhop.workflow.id",
      "bellhop.workflow.version",
    ]);
  });
});
