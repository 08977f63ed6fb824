import { expect, test } from "bun:test";
import { startedBy } from "../../console/views/executions/started-by.ts";

test.each([
  [{ type: "webhook", variables: {} }, "Webhook", null],
  [{ type: "manual", variables: {}, by: "user:ann@example.com" }, "By ann@example.com", null],
  [{ type: "manual", variables: {}, by: "token:ci (ann@example.com)" }, "By API token ci (ann@example.com)", null],
  [{ type: "manual", variables: {}, by: null }, "Manual", null],
  [{ type: "incident", incident: { id: "inc_1", title: "Disk full" } }, "Incident: Disk full", "/incidents/inc_1"],
  [{ type: "cron", scheduledAt: "2026-01-02T03:04:00.000Z" }, "Schedule", null],
  [
    { type: "failure", failed: { executionId: "exe_1", workflow: { name: "Backup" } } },
    "Failed run of Backup",
    "/executions/exe_1",
  ],
  [{ type: "failure", failed: {} }, "Failed run", null],
  [{ type: "workflow", variables: {}, parentExecutionId: "exe_0" }, "Another run", "/executions/exe_0"],
] as const)("the label for an execution's trigger: %o", (trigger, text, href) => {
  expect(startedBy({ trigger })).toMatchObject({ text, href });
});
