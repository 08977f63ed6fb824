import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { DELAY_DEFINITION, call, createWorkflow, dataOf, errorPathsOf } from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const draft = (runbookUrl: unknown) => ({
  name: "a workflow",
  trigger: { type: "webhook" },
  definition: DELAY_DEFINITION,
  runbookUrl,
});

describe("a workflow", () => {
  test("a runbook's address is kept, and null removes it", async () => {
    const runbookUrl = "https://wiki.example.com/runbooks/checkout?view=short#disk";
    const made = await createWorkflow(bellhop, { runbookUrl });
    expect(made.runbookUrl).toBe(runbookUrl);
    const replaced = await dataOf(
      await call(bellhop, "PUT", `/workflows/${made.id}`, draft(null)),
      200,
      workflowSchema,
    );
    expect(replaced.runbookUrl).toBeNull();
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "//wiki.example.com/x",
    "/runbooks/x",
    "wiki.example.com",
    "https://",
    "https://wiki.example.com/a b",
    "https://wiki.example.com/\u202Egnp",
    " https://wiki.example.com",
    "https://user:secret@wiki.example.com",
    "https:///user:secret@wiki.example.com",
    "https://bank.example.com\\@evil.example.com\n",
    `https://wiki.example.com/${"x".repeat(2_000)}`,
    "",
    7,
    { href: "https://wiki.example.com" },
  ])("a runbook at %j is refused with its path", async (runbookUrl) => {
    expect(await errorPathsOf(await call(bellhop, "POST", "/workflows", draft(runbookUrl)))).toEqual(["runbookUrl"]);
  });
});
