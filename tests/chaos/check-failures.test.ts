import { describe, expect, test } from "bun:test";
import type { Evidence } from "../../chaos/evidence.ts";
import type { RuleName } from "../../chaos/rules.ts";
import { checksOf, first, forged, killed, lost } from "../support/forged-evidence.ts";

const STARTED = "a failure starts its failure workflow once";
const REPORTED = "a failure is reported once";
const FAILED = "exe_00000000-0000-7000-8000-000000000001";

function notice(rule: RuleName, id: string, executionIds: readonly string[], count = executionIds.length) {
  const text = executionIds.map((executionId) => `Workflow "single" failed; Execution: ${executionId}`).join("\n");
  const subject = count === 1 ? 'Workflow "single" failed' : `${count} notices: ${rule}`;
  return { rule, id, subject, text };
}

/** The execution failed by a loss, started its failure workflow and was reported by both rules. */
function failure(change: (evidence: Evidence) => void = () => undefined): Evidence {
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

test("the checker accepts a failure with its failure workflow and its messages, and a repeated message", () => {
  expect(checksOf(failure())).toEqual([]);
  const repeated = failure((one) => one.notices.push(first(one.notices)));
  expect(checksOf(repeated)).toEqual([]);
});

const FORGERIES: [string, string, (evidence: Evidence) => void][] = [
  ["a failure without its failure workflow", STARTED, (one) => void one.executions.pop()],
  [
    "a failure with two runs of its failure workflow",
    STARTED,
    (one) => void one.executions.push({ ...first(one.executions), id: "exe_2", kind: "afterFailure", key: FAILED }),
  ],
  [
    "a run of the failure workflow after a success",
    STARTED,
    (one) => {
      first(one.executions).status = "succeeded";
    },
  ],
  [
    "a run of the failure workflow after its own failure",
    STARTED,
    (one) => {
      const after = { ...first(one.executions), kind: "afterFailure" as const };
      one.executions.push({ ...after, id: "exe_2", key: "exe_after" });
      one.executions = one.executions.map((each) => (each.id === "exe_after" ? { ...each, status: "failed" } : each));
    },
  ],
  [
    "a run of the failure workflow after a sub-workflow",
    STARTED,
    (one) => {
      first(one.executions).kind = "part";
    },
  ],
  [
    "a run of the failure workflow after a workflow without its tag",
    STARTED,
    (one) => {
      first(one.executions).kind = "limited";
    },
  ],
  ["a failure that a rule did not report", REPORTED, (one) => void one.notices.pop()],
  ["a failure in two messages", REPORTED, (one) => void one.notices.push(notice("grouped", "msg_3", [FAILED]))],
  [
    "a success that was reported",
    REPORTED,
    (one) => {
      first(one.executions).status = "succeeded";
    },
  ],
  [
    "a failed sub-workflow that was reported",
    REPORTED,
    (one) => {
      first(one.executions).kind = "part";
    },
  ],
  [
    "a message that counts more failures than there are",
    REPORTED,
    (one) => {
      one.notices = [notice("each", "msg_1", [FAILED]), notice("grouped", "msg_2", [FAILED], 2)];
    },
  ],
  [
    "a repeated message with another text",
    REPORTED,
    (one) => void one.notices.push({ ...first(one.notices), text: `${first(one.notices).text} again` }),
  ],
];

describe("the checker finds", () => {
  test.each(FORGERIES)("%s", (_what, check, forge) => {
    expect(checksOf(failure(forge))).toContain(check);
  });
});
