import { describe, expect, test } from "bun:test";
import { jobDeadline } from "../../../worker/actors/dispatcher/rules/job-deadline.ts";
import {
  reserveJob,
  cancelJob,
  deliverJob,
  endJob,
  queueJob,
  redeliverJob,
  releaseJob,
  reportOf,
  timesOf,
} from "../../../worker/actors/dispatcher/rules/job.ts";
import type { FinishedJob } from "../../../worker/actors/dispatcher/rules/judge-result.ts";
import { judgeLease } from "../../../worker/actors/dispatcher/rules/judge-result.ts";
import type { ServiceEnd } from "../../../worker/actors/dispatcher/rules/service-end.ts";
import { order } from "../../support/dispatcher-harness.ts";

const T0 = Date.UTC(2026, 0, 5, 12);
const SECOND_MS = 1_000;
const HOLDER = { agentId: "agt_1", journalId: "journal-1", lease: "lease1" };
const queued = queueJob(order("job_1"));
const delivered = deliverJob(queued, HOLDER, T0 + 10);

function result(changes: Partial<Parameters<typeof reportOf>[1]> = {}) {
  return {
    jobId: "job_1",
    lease: "lease1",
    status: "succeeded" as const,
    output: { exitCode: 0 },
    error: null,
    startedAt: new Date(T0 + 20).toISOString(),
    finishedAt: new Date(T0 + 30).toISOString(),
    ...changes,
  };
}

describe("leases", () => {
  test("a delivered job cannot be delivered, assigned or released", () => {
    expect(() => deliverJob(delivered, { ...HOLDER, lease: "lease2" }, T0)).toThrow("cannot be given");
    expect(() => reserveJob(delivered, "agt_2", T0)).toThrow("cannot be given");
    expect(() => releaseJob(delivered)).toThrow("cannot be given");
  });

  test("sending a job again keeps its lease", () => {
    expect(redeliverJob(delivered, T0 + 99).stage).toMatchObject({
      lease: "lease1",
      sentAt: T0 + 99,
      deliveredAt: T0 + 10,
    });
  });

  test("a job in memory has no params and no values", () => {
    expect(Object.keys(queued.facts)).not.toContain("params");
    expect(Object.keys(queued.facts)).not.toContain("values");
  });
});

describe("a lease in a report", () => {
  const past: FinishedJob = {
    jobId: "job_1",
    attempt: 1,
    lease: "lease1",
    agentId: "agt_1",
    reroutes: 0,
    by: "result",
    succeeded: true,
    finishedAt: T0,
  };
  const ref = { jobId: "job_1", lease: "lease1" };

  test("is current only for its own agent", () => {
    expect(judgeLease(delivered, [], "agt_1", ref)).toBe("current");
    expect(judgeLease(delivered, [], "agt_2", ref)).toBe("stale");
    expect(judgeLease(delivered, [], "agt_1", { ...ref, lease: "lease0" })).toBe("stale");
  });

  test("is a duplicate once its own result has ended the job, and stale when the job ended otherwise", () => {
    expect(judgeLease(null, [past], "agt_1", ref)).toBe("duplicate");
    expect(judgeLease(null, [past], "agt_2", ref)).toBe("stale");
    expect(judgeLease(null, [{ ...past, by: "service" }], "agt_1", ref)).toBe("stale");
    expect(judgeLease(endJob(delivered, "agent_lost", T0), [], "agt_1", ref)).toBe("stale");
  });

  test("is current for a newer attempt, while the older one's lease stays a duplicate", () => {
    const second = deliverJob(queueJob(order("job_1", { attempt: 2 })), { ...HOLDER, lease: "lease2" }, T0);
    expect(judgeLease(second, [past], "agt_1", { ...ref, lease: "lease2" })).toBe("current");
    expect(judgeLease(second, [past], "agt_1", ref)).toBe("duplicate");
  });

  test("is unknown when the job is", () => {
    expect(judgeLease(null, [], "agt_1", ref)).toBe("unknown");
  });
});

describe("a cancel", () => {
  test("ends a waiting job, marks a delivered job as cancelled, and does not change an ended job", () => {
    expect(cancelJob(queued, T0).stage).toMatchObject({ type: "ended", report: { status: "cancelled", lost: false } });
    expect(cancelJob(reserveJob(queued, "agt_1", T0), T0).stage).toMatchObject({ type: "ended" });
    expect(cancelJob(delivered, T0).stage).toMatchObject({ type: "delivered", lease: "lease1", cancelRequested: true });
    const ended = endJob(delivered, "agent_lost", T0);
    expect(cancelJob(ended, T0)).toBe(ended);
  });
});

describe("the report of a job's end", () => {
  const error = (code: string) => ({ code, message: "It was stopped." });
  test.each([
    [
      "a shutdown",
      result({ status: "failed", error: error("agent_shutdown") }),
      "Agent web-2 reports: It was stopped.",
    ],
    [
      "another process",
      result({ status: "failed", error: error("agent_superseded") }),
      "Agent web-2 reports: It was stopped.",
    ],
    [
      "an interruption",
      result({ status: "interrupted", error: error("interrupted") }),
      "Agent web-2 reports: It was stopped.",
    ],
    [
      "no reason",
      result({ status: "failed" }),
      "Agent web-2 gave no reason. Look for one in the log of the agent on its machine.",
    ],
    ["the action itself", result({ status: "failed", error: error("exit_code") }), "It was stopped."],
  ])("names the agent if the agent is the reason: %s", (_case, ended, message) => {
    expect(reportOf(delivered, ended, "web-2", T0 + 40).error?.message).toBe(message);
  });

  test("has the output and the agent's times after a success", () => {
    expect(reportOf(delivered, result(), "web-2", T0 + 40)).toEqual({
      jobId: "job_1",
      attempt: 1,
      status: "succeeded",
      output: { exitCode: 0 },
      error: null,
      agentId: "agt_1",
      times: {
        queuedAt: T0,
        assignedAt: T0 + 10,
        deliveredAt: T0 + 10,
        startedAt: T0 + 20,
        finishedAt: T0 + 30,
        reportedAt: T0 + 40,
      },
      lost: false,
    });
  });

  test("says of an interrupted job that it failed and that its progress is unknown", () => {
    const report = reportOf(delivered, result({ status: "interrupted", output: null }), "web-2", T0 + 40);
    expect(report).toMatchObject({ status: "failed", lost: true, error: { code: "interrupted" } });
  });

  test("has a code for a failure without a reason", () => {
    expect(reportOf(delivered, result({ status: "failed" }), "web-2", T0 + 40).error?.code).toBe("failed");
    expect(reportOf(delivered, result({ status: "timed_out" }), "web-2", T0 + 40).error?.code).toBe("timed_out");
    expect(reportOf(delivered, result({ status: "cancelled" }), "web-2", T0 + 40).error).toBeNull();
  });

  test("has times between the delivery and now even if the agent's clock is wrong", () => {
    const skewed = result({ startedAt: new Date(0).toISOString(), finishedAt: new Date(T0 + 10 ** 9).toISOString() });
    expect(reportOf(delivered, skewed, "web-2", T0 + 40).times).toMatchObject({
      startedAt: T0 + 10,
      finishedAt: T0 + 40,
    });
  });

  test.each<[ServiceEnd, boolean, boolean]>([
    ["cancelled", false, false],
    ["queue_timeout", false, false],
    ["timed_out", true, false],
    ["agent_lost", true, false],
    ["connection_disabled", false, false],
  ])("marks %s as lost only when an agent had the job (%p)", (end, lostWhenHeld, lostWhenQueued) => {
    expect(endJob(delivered, end, T0).stage).toMatchObject({ report: { lost: lostWhenHeld, error: { code: end } } });
    expect(endJob(queued, end, T0).stage).toMatchObject({ report: { lost: lostWhenQueued, agentId: null } });
  });

  test("keeps the first end", () => {
    const ended = endJob(delivered, "agent_lost", T0);
    expect(endJob(ended, "timed_out", T0)).toBe(ended);
  });
});

test("a delivered assignment keeps the time at which it was made", () => {
  const assigned = reserveJob(queued, "agt_1", T0 + 5);
  expect(timesOf(deliverJob(assigned, HOLDER, T0 + 9))).toMatchObject({ assignedAt: T0 + 5, deliveredAt: T0 + 9 });
  // Another agent took the job: a new assignment.
  expect(timesOf(deliverJob(assigned, { ...HOLDER, agentId: "agt_2" }, T0 + 9)).assignedAt).toBe(T0 + 9);
});

describe("deadlines", () => {
  test("a job waits without end unless it has a queue limit", () => {
    expect(jobDeadline(queued)).toBeNull();
    const limited = queueJob(order("job_1", { queueTimeoutSeconds: 30 }));
    expect(jobDeadline(limited)).toEqual({ at: T0 + 30 * SECOND_MS, end: "queue_timeout" });
    expect(jobDeadline(reserveJob(limited, "agt_1", T0))?.at).toBe(T0 + 30 * SECOND_MS);
  });

  test("a delivered job gets its time limit and two minutes, counted from its last sending within a bound", () => {
    const limit = (300 + 120) * SECOND_MS;
    expect(jobDeadline(delivered)).toEqual({ at: T0 + 10 + limit, end: "timed_out" });
    expect(jobDeadline(redeliverJob(delivered, T0 + 60_010))?.at).toBe(T0 + 60_010 + limit);
    expect(jobDeadline(redeliverJob(delivered, T0 + 10 ** 9))?.at).toBe(T0 + 10 + 600 * SECOND_MS + limit);
  });
});
