import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Problem } from "../../schema/contract/problem.ts";
import { startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { createWorkflow } from "../support/management-api.ts";

/** A draft that its author may not save. Every role that edits workflows has `code:write`, so the answer is faked. */
let console: ConsoleUnderTest;
beforeAll(async () => {
  console = await startConsole();
});
afterAll(() => console.stop());

const DETAIL = "This needs the permission code:write for definition.nodes.1 (second). Ask an administrator for it.";
const MESSAGE = "needs the permission code:write: script.bash runs code or changes its target";

test("a draft whose save is forbidden shows the server's message at the node until it is saved", async () => {
  const nodes = ["first", "second"].map((id) => ({ id, type: "delay", seconds: 5 }));
  const edges = [{ from: "first", to: "second", on: "success" }];
  const { id } = await createWorkflow(console.bellhop, { name: "Refused", definition: { nodes, edges } });
  const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
  let mayNot = true;
  await page.route(`**/api/v1/automation/workflows/${id}`, async (route) => {
    if (route.request().method() !== "PUT" || !mayNot) return route.fallback();
    const json: Problem = {
      type: "about:blank",
      title: "Forbidden",
      status: 403,
      code: "forbidden",
      detail: DETAIL,
      timestamp: new Date(0).toISOString(),
      instance: "/",
      errors: [{ path: "definition.nodes.1", message: MESSAGE }],
    };
    return route.fulfill({ status: 403, contentType: "application/problem+json", json });
  });
  await page.locator('.react-flow__node[data-id="first"]').click();
  await page.keyboard.press("Control+d");
  await page.keyboard.press("Control+s");
  await page.getByText(`Not saved: ${DETAIL}`).waitFor();
  const problems = page.getByRole("tabpanel", { name: /Problems/u });
  await problems.getByText(MESSAGE).waitFor();
  await problems.getByRole("button", { name: /^second Needs the permission/u }).waitFor();
  mayNot = false;
  await page.keyboard.press("Control+s");
  await page.getByText("The draft was saved.").waitFor();
  await page
    .getByRole("status", { name: "Saving" })
    .getByText(/^Saved/u)
    .waitFor();
  expect(await problems.getByText(MESSAGE).count()).toBe(0);
});
