import { expect, test } from "bun:test";
import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import { startsNow } from "../../console/views/workflows/starts-now.ts";
import { undoSteps } from "../../console/views/workflows/undo-steps.ts";

const critical: ConditionGroup = {
  logic: "all",
  conditions: [{ field: "severity", operator: "equals", value: "critical" }],
};

test.each<[Trigger, boolean, string | null, string]>([
  [{ type: "webhook" }, true, "wh123", "Each webhook call starts a run."],
  [{ type: "webhook" }, true, null, "The webhook has no key yet"],
  [{ type: "webhook" }, false, null, "The workflow is not active"],
  [{ type: "manual" }, false, null, "People can run it"],
  [{ type: "cron", expression: "0 9 * * 1" }, true, null, "The schedule starts a run: At 09:00 on Monday (UTC)."],
  [{ type: "failure" }, true, null, "Each failed run of another workflow starts a run."],
  [
    { type: "failure", tags: ["a", "b"] },
    true,
    null,
    "Each failed run of another workflow tagged a or b starts a run.",
  ],
  [{ type: "incident", events: ["incident.created"] }, true, null, "Each incident.created event starts a run."],
  [
    { type: "incident", events: ["incident.created", "incident.escalated"], conditions: critical },
    true,
    null,
    "Each incident.created or incident.escalated event starts a run if severity is “critical”.",
  ],
] as const)(
  "what starts a workflow with the trigger %j, active %j and the key %j: %s",
  (trigger, active, key, said) => {
    expect(startsNow({ trigger, active, webhookKey: key })).toContain(said);
  },
);

test.each([
  ["activated", [false, "wfv_1"], [true, "wfv_1"], [{ verb: "deactivate" }]],
  ["deactivated", [true, "wfv_1"], [false, "wfv_1"], [{ verb: "activate" }]],
  ["published first", [false, null], [false, "wfv_1"], [{ verb: "unpublish" }]],
  ["published again", [true, "wfv_1"], [true, "wfv_2"], [{ verb: "publish", publish: { versionId: "wfv_1" } }]],
  ["unpublished", [true, "wfv_1"], [true, null], [{ verb: "publish", publish: { versionId: "wfv_1" } }]],
  ["published and activated", [false, null], [true, "wfv_1"], [{ verb: "deactivate" }, { verb: "unpublish" }]],
  ["saved", [true, "wfv_1"], [true, "wfv_1"], []],
] as const)("a workflow that was %s goes back from %j to %j", (_what, before, after, steps) => {
  const state = ([active, publishedVersionId]: typeof before | typeof after) => ({ active, publishedVersionId });
  expect(undoSteps(state(before), state(after))).toEqual([...steps]);
});
