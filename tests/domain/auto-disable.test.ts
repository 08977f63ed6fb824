import { describe, expect, test } from "bun:test";
import type { ExecutionStatus, ExecutionTrigger } from "../../schema/contract/execution.ts";
import { idSchema } from "../../schema/contract/ids.ts";
import { auditIdOfEnd, autoDisableReason, earliestAuditId, scheduleOutcome } from "../../worker/domain/auto-disable.ts";
import { createExecution } from "../../worker/actors/run/engine/step.ts";
import { newId } from "../../worker/services/ids.ts";

const CRON: ExecutionTrigger = { type: "cron", scheduledAt: "2026-11-21T06:05:00.000Z" };

function ended(trigger: ExecutionTrigger, status: ExecutionStatus) {
  const state = createExecution({ id: "exe_1", workflowId: "wf_1", versionId: "wfv_1", trigger, startedAt: 0 });
  return { ...state, status };
}

describe("the auto-disable of a schedule", () => {
  test.each([
    ["failed", "failed"],
    ["succeeded", "succeeded"],
    ["cancelled", "doesNotCount"],
    ["running", "doesNotCount"],
  ] as const)("counts a scheduled run that is %s as %s", (status, outcome) => {
    expect(scheduleOutcome(ended(CRON, status), null)).toBe(outcome);
  });

  test.each<ExecutionTrigger>([
    { type: "manual", variables: {}, by: "usr_1" },
    { type: "webhook", variables: {} },
    { type: "incident", incident: {} },
    { type: "workflow", variables: {}, parentExecutionId: "exe_0" },
  ])("never counts an execution whose trigger is %p", (trigger) => {
    expect(scheduleOutcome(ended(trigger, "failed"), null)).toBe("doesNotCount");
    expect(scheduleOutcome(ended(trigger, "succeeded"), null)).toBe("doesNotCount");
  });

  test("does not count a run that a limit ended", () => {
    const error = { code: "limit_reached", message: "The limit is reached." };
    expect(scheduleOutcome({ ...ended(CRON, "failed"), error }, null)).toBe("doesNotCount");
  });

  test("does not count a retry of a scheduled run, which a person asked for", () => {
    expect(scheduleOutcome(ended(CRON, "failed"), "exe_0")).toBe("doesNotCount");
  });
});

describe("the reason on the banner", () => {
  test("gives the last run's error and says what to do", () => {
    expect(autoDisableReason({ code: "nonzero_exit", message: "The command ended with 3" })).toBe(
      "5 scheduled runs in a row failed, so the schedule was switched off. The last one ended with nonzero_exit: The command ended with 3. Fix the cause, then activate the workflow.",
    );
  });

  test("works without an error, and cuts a long one", () => {
    expect(autoDisableReason(null)).not.toContain("null");
    const reason = autoDisableReason({ code: "failed", message: "x".repeat(10_000) });
    expect(reason.length).toBeLessThan(750);
    expect(reason).toContain("…");
  });
});

describe("the entry in the audit log", () => {
  test("has an audit id of its time, which stays the same when the end is reported again", () => {
    const executionId = newId("execution", 1_000);
    const at = Date.UTC(2026, 10, 21);
    const id = auditIdOfEnd(executionId, at);
    expect(idSchema("audit").safeParse(id).success).toBe(true);
    expect(auditIdOfEnd(executionId, at)).toBe(id);
    expect(auditIdOfEnd(newId("execution", 1_000), at)).not.toBe(id);
  });

  test("no id of a moment is smaller than its earliest", () => {
    const at = Date.UTC(2026, 10, 21);
    expect(newId("audit", at) > earliestAuditId(at)).toBe(true);
    expect(newId("audit", at - 1) < earliestAuditId(at)).toBe(true);
  });
});
