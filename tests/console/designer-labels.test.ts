import { expect, test } from "bun:test";
import { startsNow } from "../../console/views/designer/save/starts-now.ts";

test.each([
  [{ type: "webhook" }, null, "webhook has no key yet"],
  [{ type: "webhook" }, "wh123", "Its trigger is now active"],
  [{ type: "manual" }, null, "run manually"],
  [{ type: "cron", expression: "0 * * * *" }, null, "Its trigger is now active"],
] as const)(
  "the message after publishing a workflow with %j and the key %j has: %s",
  (trigger, webhookKey, message) => {
    expect(startsNow({ trigger, webhookKey })).toContain(message);
  },
);
