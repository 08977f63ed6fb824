import { describe, expect, test } from "bun:test";
import { checkEvidence } from "../../chaos/check.ts";
import type { Evidence } from "../../chaos/evidence.ts";
import {
  acknowledged,
  began,
  checksOf,
  first,
  forged,
  honest,
  JOB,
  killed,
  LEASE,
  lost,
  lostAndReported,
  result,
  second,
  T,
} from "../support/forged-evidence.ts";

/** A checker that cannot fail proves nothing: it must report each forged record and accept the honest ones. */
describe("the checker finds nothing wrong with", () => {
  test("an honest run", () => {
    expect(checkEvidence(honest())).toEqual([]);
  });

  test("an unsafe job that was lost with an agent that was killed", () => {
    expect(checkEvidence(lostAndReported())).toEqual([]);
  });

  test("an unsafe job that was lost with an agent that was silent for a long time", () => {
    const evidence = lostAndReported((one) => {
      one.programEnds = [];
      const fault = { kind: "pause", target: "agent-1" } as const;
      one.faults = [{ number: 1, fault, fromMs: T - 100_000, toMs: T + 20 }];
    });
    expect(checkEvidence(evidence)).toEqual([]);
  });

  test("a read that a second agent ran after the first was lost", () => {
    const evidence = forged((one) => {
      one.jobs = [{ ...JOB, effect: "read", action: "http.request" }];
      one.runs = [];
      one.nodeRuns = one.nodeRuns.map((run) => ({ ...run, token: null }));
      one.journals = [
        { agent: "agent-1", agentId: "agt_1", records: [began(), result("interrupted"), acknowledged("accepted")] },
        {
          agent: "agent-2",
          agentId: "agt_2",
          records: [
            began("job_1", "lease-2", T + 60),
            result("succeeded", "job_1", "lease-2"),
            acknowledged("duplicate", "job_1", "lease-2"),
          ],
        },
      ];
      one.programEnds = [killed];
    });
    expect(checkEvidence(evidence)).toEqual([]);
  });

  test("a cancelled execution after a request to cancel", () => {
    const evidence = forged((one) => {
      one.events = one.events.map((event) => ({ ...event, kind: "cancelled", cancelAsked: true }));
      one.executions = one.executions.map((execution) => ({ ...execution, kind: "cancelled", status: "cancelled" }));
      one.nodeRuns = one.nodeRuns.map((run) => ({ ...run, status: "cancelled" }));
      one.jobs = [{ ...JOB, status: "cancelled" }];
    });
    expect(checkEvidence(evidence)).toEqual([]);
  });
});

const FORGERIES: [string, string, (evidence: Evidence) => void][] = [
  [
    "an unsafe job that two agents began",
    "an unsafe job runs once",
    (one) => {
      second(one.journals).records.push(began("job_1", "lease-2"));
    },
  ],
  [
    "an unsafe job that one agent began twice",
    "an unsafe job runs once",
    (one) => {
      first(one.journals).records.push(began("job_1", "lease-2"));
    },
  ],
  [
    "a job that the service does not know",
    "an unsafe job runs once",
    (one) => {
      second(one.journals).records.push(began("job_9", "lease-9"));
    },
  ],
  [
    "a script that no agent started",
    "a script runs only when an agent has begun it",
    (one) => {
      one.runs.push({ ...first(one.runs), token: "2-22" });
    },
  ],
  [
    "an unsafe job whose script ran twice, although agents report one start",
    "an unsafe job runs once",
    (one) => {
      one.runs.push({ ...first(one.runs), token: "2-22" });
    },
  ],
  [
    "a script that ran for a job that the service does not know",
    "an unsafe job runs once",
    (one) => {
      one.runs.push({ ...first(one.runs), jobId: "job_9", token: "2-22" });
    },
  ],
  [
    "a success that names the script of another job",
    "what succeeded has run",
    (one) => {
      first(one.runs).jobId = "job_2";
    },
  ],
  [
    "a success whose script got another event's values",
    "what succeeded has run",
    (one) => {
      first(one.runs).key = "k-2";
    },
  ],
  [
    "a success whose script never ran",
    "what succeeded has run",
    (one) => {
      first(one.nodeRuns).token = "9-99";
    },
  ],
  [
    "a success whose script did not finish",
    "what succeeded has run",
    (one) => {
      first(one.runs).endedAt = null;
    },
  ],
  [
    "a lost job of an agent that was available",
    "agent_lost is for unsafe jobs of agents that were gone",
    (one) => lost(one),
  ],
  [
    "an interrupted job of an agent that was never stopped",
    "agent_lost is for unsafe jobs of agents that were gone",
    (one) => lost(one, "interrupted"),
  ],
  [
    "a lost job of an agent that was killed at another time",
    "agent_lost is for unsafe jobs of agents that were gone",
    (one) => {
      lost(one);
      one.programEnds = [{ ...killed, at: T + 60_000 }];
    },
  ],
  [
    "a read that failed because its agent was lost",
    "agent_lost is for unsafe jobs of agents that were gone",
    (one) => {
      lost(one);
      first(one.jobs).effect = "read";
      one.programEnds = [killed];
    },
  ],
  [
    "a lost unsafe job that was tried again",
    "a retry never runs a lost unsafe job again",
    (one) => {
      lost(one);
      one.programEnds = [killed];
      one.jobs.push({ ...JOB, id: "job_2", attempt: 2 });
    },
  ],
  [
    "a lease that began twice",
    "a lease is held once",
    (one) => {
      second(one.journals).records.push(began());
    },
  ],
  [
    "a read that two agents had at the same time",
    "another lease is given only when the first was lost",
    (one) => {
      first(one.jobs).effect = "read";
      second(one.journals).records.push(began("job_1", "lease-2", T + 60));
    },
  ],
  [
    "a result that was accepted twice",
    "a result is taken once, as it was reported",
    (one) => {
      second(one.journals).records.push(
        began("job_1", "lease-2"),
        result("succeeded", "job_1", "lease-2"),
        acknowledged("accepted", "job_1", "lease-2"),
      );
    },
  ],
  [
    "a job that differs from its result",
    "a result is taken once, as it was reported",
    (one) => {
      first(one.jobs).status = "failed";
      first(one.jobs).errorCode = "nonzero_exit";
    },
  ],
  [
    "a success that no agent reported",
    "a result is taken once, as it was reported",
    (one) => {
      one.journals = [{ agent: "agent-1", agentId: "agt_1", records: [began()] }];
    },
  ],
  [
    "a late result that was accepted",
    "a late result changes nothing",
    (one) => {
      one.lateResults.push({
        jobId: "job_1",
        lease: LEASE,
        agentId: "agt_1",
        status: "succeeded",
        receivedAt: T + 300,
      });
    },
  ],
  [
    "a result that an agent has not reported",
    "no result is owed",
    (one) => {
      first(one.journals).records.pop();
    },
  ],
  [
    "an execution that is still running",
    "everything comes to rest",
    (one) => one.left.unrest.push("execution exe_1 is running"),
  ],
  ["an event in an inbox", "the inbox is empty", (one) => one.left.inbox.push("exe_1 was accepted and not started")],
  ["a process that is left", "no process is left", (one) => one.left.processes.push("process 1: sleep")],
  ["a secret in a file", "secrets stay where they are used", (one) => one.left.secrets.push("it is in a log")],
  [
    "a request without its credential",
    "a job has its credential",
    (one) => {
      one.left.strangers = 1;
    },
  ],
  [
    "an agent that ended without a request",
    "a program ends only when the run ends it",
    (one) => {
      one.programEnds = [{ ...killed, code: 76, unexpected: true }];
    },
  ],
  [
    "a service that ended without a request",
    "a program ends only when the run ends it",
    (one) => {
      one.programEnds = [{ program: "service", at: T, code: 1, unexpected: true }];
    },
  ],
];

describe("the checker finds", () => {
  test.each(FORGERIES)("%s", (_what, check, forge) => {
    expect(checksOf(forged(forge))).toContain(check);
  });
});
