import { describe, expect, test } from "bun:test";
import type { Evidence } from "../../chaos/evidence.ts";
import { checksOf, first, forged, JOB, T } from "../support/forged-evidence.ts";

function heldRuns(fromMs: number, toMs: number): Evidence["faults"][number] {
  const confirmed = { fromMs, toMs };
  return { number: 1, fault: { kind: "holdRuns" }, ...confirmed, confirmed, windowIds: ["mwn_1"] };
}

/** A checker that cannot fail proves nothing: it must report each forged record and accept the honest ones. */
const FORGERIES: [string, string, (evidence: Evidence) => void][] = [
  [
    "an event that started no execution",
    "an accepted event has exactly one execution",
    (one) => {
      one.executions = [];
      one.nodeRuns = [];
      one.jobs = [];
      one.runs = [];
      one.journals = [];
    },
  ],
  [
    "an event that started two executions",
    "an accepted event has exactly one execution",
    (one) => {
      one.executions.push({ ...first(one.executions), id: "exe_2" });
    },
  ],
  [
    "answers that name different executions",
    "an accepted event has exactly one execution",
    (one) => {
      first(one.events).executionIds.push("exe_2");
    },
  ],
  [
    "an event that was never accepted",
    "an accepted event has exactly one execution",
    (one) => {
      first(one.events).acceptedAt = null;
    },
  ],
  [
    "an execution of an event that was never sent",
    "an accepted event has exactly one execution",
    (one) => {
      one.executions.push({ ...first(one.executions), id: "exe_2", key: "k-2" });
    },
  ],
  [
    "a schedule's minute that ran twice",
    "an accepted event has exactly one execution",
    (one) => {
      for (const id of ["exe_2", "exe_3"])
        one.executions.push({ ...first(one.executions), id, kind: "minute", key: "2026-01-01T00:00:00.000Z" });
    },
  ],
  [
    "an event that was sent for longer than its deduplication window",
    "the run itself",
    (one) => {
      first(one.events).lastSentAt = T + 301_000;
    },
  ],
  [
    "an execution that still runs",
    "everything has ended",
    (one) => {
      first(one.executions).status = "running";
    },
  ],
  [
    "a node run that still waits",
    "everything has ended",
    (one) => {
      one.nodeRuns.push({ ...first(one.nodeRuns), id: "run_2", status: "waiting", token: null });
    },
  ],
  [
    "a job that still waits",
    "everything has ended",
    (one) => {
      one.jobs.push({ ...JOB, id: "job_2", status: "queued" });
    },
  ],
  [
    "an execution that failed without a reason",
    "an execution ends as its workflow says",
    (one) => {
      first(one.executions).status = "failed";
    },
  ],
  [
    "a cancelled execution without a request to cancel",
    "an execution ends as its workflow says",
    (one) => {
      first(one.executions).status = "cancelled";
    },
  ],
  [
    "a node that began before its predecessor had ended",
    "nodes run in order",
    (one) => {
      first(one.events).kind = "chain";
      first(one.executions).kind = "chain";
      one.runs = ["first", "last"].map((nodeId) => ({ ...first(one.runs), nodeId, token: `1-${nodeId}` }));
    },
  ],
  [
    "an event that started an execution and joined another",
    "an accepted event has exactly one execution",
    (one) => {
      first(one.executions).joined = ["k-1"];
    },
  ],
  [
    "an execution that an event joined which was never sent",
    "an accepted event has exactly one execution",
    (one) => {
      first(one.executions).joined = ["k-2"];
    },
  ],
  [
    "two runs with one key at the same time",
    "one run for each key",
    (one) => {
      const run = { ...first(one.executions), concurrencyKey: "a" };
      one.executions = [run, { ...run, id: "exe_2", begunAt: T + 119 }];
    },
  ],
  [
    "one run more than the limit in a period",
    "a limit is kept",
    (one) => {
      const at = (ms: number) => ({ key: "a", executionId: `exe_${ms}`, at: T + ms });
      one.limitUses = [at(0), at(1), at(2), at(59_999)];
    },
  ],
  [
    "an unsafe job of a limited workflow that does not count",
    "a limit is kept",
    (one) => {
      first(one.executions).kind = "limited";
    },
  ],
  [
    "a job that was given while all runs were paused",
    "nothing is given in a pause",
    (one) => {
      const confirmed = { fromMs: T - 10_000, toMs: T + 1_000 };
      one.faults = [{ number: 1, fault: { kind: "pauseRuns" }, ...confirmed, confirmed }];
    },
  ],
  [
    "a run that began before the end of the window that held it",
    "a maintenance window holds runs",
    (one) => {
      first(one.executions).heldBy = "mwn_1";
      one.faults = [heldRuns(T - 100, T + 1_000)];
    },
  ],
  [
    "an event within a window whose run was not held",
    "a maintenance window holds runs",
    (one) => {
      one.faults = [heldRuns(T - 6_000, T + 1_000)];
    },
  ],
];

describe("the checker finds", () => {
  test.each(FORGERIES)("%s", (_what, check, forge) => {
    expect(checksOf(forged(forge))).toContain(check);
  });
});

test("the checker accepts a handler after a script that was killed with its agent and has no end", () => {
  const ofHandled = (errorCode: string | null) =>
    forged((one) => {
      first(one.events).kind = "handled";
      first(one.executions).kind = "handled";
      one.nodeRuns = [{ ...first(one.nodeRuns), nodeId: "fails", status: "failed", errorCode }];
      const [killed, handler] = [first(one.runs), { ...first(one.runs), nodeId: "fixes", token: "1-2" }];
      one.runs = [
        { ...killed, nodeId: "fails", endedAt: null },
        { ...handler, beganAt: killed.beganAt + 1 },
      ];
    });
  expect(checksOf(ofHandled("agent_lost"))).not.toContain("nodes run in order");
  expect(checksOf(ofHandled("nonzero_exit"))).toContain("nodes run in order");
});

test("the checker accepts runs one after the other, a limit that is just kept, and a job within seconds of a pause", () => {
  const honest = forged((one) => {
    const run = { ...first(one.executions), concurrencyKey: "a" };
    one.executions = [run, { ...run, id: "exe_2", begunAt: T + 120, finishedAt: T + 130 }];
    one.limitUses = [0, 1, 2, 60_000].map((ms) => ({ key: "a", executionId: `exe_${ms}`, at: T + ms }));
    const confirmed = { fromMs: T - 4_000, toMs: T + 1_000 };
    one.faults = [{ number: 1, fault: { kind: "pauseRuns" }, ...confirmed, confirmed }];
  });
  const found = checksOf(honest);
  for (const check of ["one run for each key", "a limit is kept", "nothing is given in a pause"])
    expect(found).not.toContain(check);
});

test("the checker accepts a held run that begins after its window, and an event within seconds of the window's start", () => {
  const check = "a maintenance window holds runs";
  const begins = (begunAt: number, heldBy: string | null, fault: Evidence["faults"][number]) =>
    checksOf(
      forged((one) => {
        one.executions = [{ ...first(one.executions), begunAt, heldBy }];
        one.faults = [fault];
      }),
    );
  expect(begins(T + 1_000, "mwn_1", heldRuns(T - 6_000, T + 1_000))).not.toContain(check);
  expect(begins(T + 1, null, heldRuns(T - 4_000, T + 1_000))).not.toContain(check);
  expect(begins(T + 1, "mwn_before", heldRuns(T - 4_000, T + 1_000))).not.toContain(check);
});

test("the checker accepts a test of a connection in a pause of all runs", () => {
  const tested = forged((one) => {
    const confirmed = { fromMs: T - 10_000, toMs: T + 1_000 };
    one.faults = [{ number: 1, fault: { kind: "pauseRuns" }, ...confirmed, confirmed }];
    one.jobs = [{ ...JOB, executionId: null, nodeRunId: null, action: null }];
  });
  expect(checksOf(tested)).not.toContain("nothing is given in a pause");
});

test("the checker accepts a request that timed out after a long pause of its agent, and no other timeout", () => {
  const { deliveredAt } = JOB;
  if (deliveredAt === null) throw new Error("the job was never delivered");
  const ofReads = (pausedMs: number) =>
    forged((one) => {
      first(one.events).kind = "reads";
      Object.assign(first(one.executions), { kind: "reads", status: "failed", error: "timed_out" });
      one.nodeRuns = [{ ...first(one.nodeRuns), id: JOB.nodeRunId ?? "", status: "failed", errorCode: "timed_out" }];
      const fault = { kind: "pause" as const, target: "agent-1" as const };
      one.faults = [{ number: 1, fault, fromMs: deliveredAt + 5, toMs: deliveredAt + 5 + pausedMs }];
    });
  expect(checksOf(ofReads(60_000))).not.toContain("an execution ends as its workflow says");
  expect(checksOf(ofReads(10_000))).toContain("an execution ends as its workflow says");
});
