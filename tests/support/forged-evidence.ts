import type { JournalRecord } from "../../agent/journal/state.ts";
import { checkEvidence } from "../../chaos/check.ts";
import type { Evidence, JobFact } from "../../chaos/evidence.ts";
import type { RuleName } from "../../chaos/rules.ts";

/** The records of a run without a fault, for tests of the checker to change. */
export const T = 1_000_000;
export const LEASE = "lease-1";

export function result(status: "succeeded" | "failed" | "interrupted", jobId = "job_1", lease = LEASE): JournalRecord {
  const at = new Date(T).toISOString();
  return { type: "finished", jobId, lease, result: { jobId, lease, status, finishedAt: at } };
}

export const began = (jobId = "job_1", lease = LEASE, at = T + 20): JournalRecord => ({
  type: "began",
  jobId,
  lease,
  attempt: 1,
  at,
});
export const acknowledged = (
  ack: "accepted" | "duplicate" | "stale" | "unknown",
  jobId = "job_1",
  lease = LEASE,
): JournalRecord => ({
  type: "acknowledged",
  jobId,
  lease,
  ack,
  at: T + 200,
});

export const JOB: JobFact = {
  id: "job_1",
  executionId: "exe_1",
  nodeRunId: "run_1",
  action: "script.bash",
  effect: "unsafe",
  status: "succeeded",
  agentId: "agt_1",
  attempt: 1,
  errorCode: null,
  queuedAt: T + 5,
  deliveredAt: T + 10,
  finishedAt: T + 100,
};

/** One event, one execution, one script, without a violation. */
export function honest(): Evidence {
  return {
    events: [
      {
        key: "k-1",
        kind: "single",
        firstSentAt: T - 10,
        acceptedAt: T,
        lastSentAt: T,
        tries: 2,
        executionIds: ["exe_1"],
        startedAt: T,
        deduplicated: 0,
        cancelAsked: false,
        lastRefusal: null,
        done: true,
      },
    ],
    executions: [
      {
        id: "exe_1",
        kind: "single",
        key: "k-1",
        joined: [],
        concurrencyKey: null,
        heldBy: null,
        status: "succeeded",
        error: null,
        startedAt: T,
        begunAt: T,
        finishedAt: T + 120,
      },
    ],
    nodeRuns: [
      {
        id: "run_1",
        executionId: "exe_1",
        nodeId: "only",
        iteration: "",
        status: "succeeded",
        errorCode: null,
        token: "1-11",
      },
    ],
    jobs: [{ ...JOB }],
    lateResults: [],
    limitUses: [],
    runs: [
      { jobId: "job_1", key: "k-1", nodeId: "only", iteration: "", token: "1-11", beganAt: T + 30, endedAt: T + 90 },
    ],
    journals: [
      { agent: "agent-1", agentId: "agt_1", records: [began(), result("succeeded"), acknowledged("accepted")] },
      { agent: "agent-2", agentId: "agt_2", records: [] },
    ],
    notices: [],
    faults: [],
    programEnds: [],
    left: { unrest: [], inbox: [], processes: [], secrets: [], strangers: 0 },
  };
}

/** The honest run with one change. */
export function forged(change: (evidence: Evidence) => void): Evidence {
  const evidence = honest();
  change(evidence);
  return evidence;
}

export const checksOf = (evidence: Evidence) => [...new Set(checkEvidence(evidence).map(({ check }) => check))];

/** The job was lost with its agent, and the execution failed for that reason. */
export function lost(evidence: Evidence, errorCode = "agent_lost"): void {
  evidence.jobs = [{ ...JOB, status: "failed", errorCode }];
  evidence.nodeRuns = evidence.nodeRuns.map((run) => ({
    ...run,
    status: "failed",
    errorCode: "agent_lost",
    token: null,
  }));
  evidence.executions = evidence.executions.map((execution) => ({
    ...execution,
    status: "failed",
    error: "agent_lost: gone",
  }));
  evidence.runs = evidence.runs.map((run) => ({ ...run, endedAt: null }));
  evidence.journals = [
    { agent: "agent-1", agentId: "agt_1", records: [began(), result("interrupted"), acknowledged("accepted")] },
  ];
}

export const killed = { program: "agent-1" as const, at: T + 50, code: null, unexpected: false };

/** The execution of `lostAndReported`. */
export const FAILED = "exe_00000000-0000-7000-8000-000000000001";

export function notice(rule: RuleName, id: string, executionIds: readonly string[], count = executionIds.length) {
  const text = executionIds.map((executionId) => `Workflow "single" failed; Execution: ${executionId}`).join("\n");
  const subject = count === 1 ? 'Workflow "single" failed' : `${count} notices: ${rule}`;
  return { rule, id, subject, text };
}

/** The execution failed by a loss, started its failure workflow and was reported by both rules. */
export function lostAndReported(change: (evidence: Evidence) => void = () => undefined): Evidence {
  return forged((evidence) => {
    lost(evidence);
    evidence.programEnds = [killed];
    for (const event of evidence.events) event.executionIds = [FAILED];
    for (const record of [...evidence.jobs, ...evidence.nodeRuns]) record.executionId = FAILED;
    const failed = { ...first(evidence.executions), id: FAILED };
    evidence.executions = [
      failed,
      { ...failed, id: "exe_after", kind: "afterFailure", key: FAILED, status: "succeeded", error: null },
    ];
    evidence.notices = [notice("each", "msg_1", [FAILED]), notice("grouped", "msg_2", [FAILED])];
    change(evidence);
  });
}

export function first<T>(list: readonly T[]): T {
  const [found] = list;
  if (found === undefined) throw new Error("the honest run has none of these");
  return found;
}

export const second = <T>([, ...rest]: readonly T[]): T => first(rest);
