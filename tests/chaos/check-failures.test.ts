import { describe, expect, test } from "bun:test";
import type { Evidence } from "../../chaos/evidence.ts";
import { FAILED, checksOf, first, lostAndReported, notice } from "../support/forged-evidence.ts";

const STARTED = "a failure starts its failure workflow once";
const REPORTED = "a failure is reported once";
test("the checker accepts a failure with its failure workflow and its messages, and a repeated message", () => {
  expect(checksOf(lostAndReported())).toEqual([]);
  const repeated = lostAndReported((one) => one.notices.push(first(one.notices)));
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
    expect(checksOf(lostAndReported(forge))).toContain(check);
  });
});
