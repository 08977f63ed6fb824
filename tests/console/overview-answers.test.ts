import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { call } from "../support/management-api.ts";
import { executionOf } from "../support/signed-in-people.ts";
import { overviewScene, section } from "./overview-scene.ts";

describe.skipIf(NO_CHROMIUM !== null)("the overview", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());
  const { execute, asksFor } = overviewScene(() => console.bellhop);

  test("answers approvals in place: a dialog confirms, takes a comment, and the tab's title counts them", async () => {
    const { bellhop } = console;
    const [failover, restart] = [
      await asksFor("Fail over", "Fail over to db-2?", { timeoutSeconds: 3_600 }),
      await asksFor("Restart", "Restart it?"),
    ];
    const first = await execute(failover);
    const page = await console.pageAs("operator");
    const approvals = section(page, /^Waiting for approval/u);
    await approvals.getByText("Fail over to db-2?").waitFor();
    await approvals.getByText("Expires in 1 hour.").waitFor();
    await eventually("the title", async () => (await page.title()) === "(1) Overview · Bellhop");
    const second = await execute(restart);
    await approvals.getByText("Restart it?").waitFor();
    await eventually("the title", async () => (await page.title()) === "(2) Overview · Bellhop");
    // The oldest first.
    const rows = approvals.getByRole("listitem");
    expect(await rows.first().textContent()).toContain("Fail over to db-2?");
    await rows.first().getByRole("button", { name: "Reject Ask a person" }).click();
    const dialog = page.getByRole("dialog", { name: "Reject: Ask a person" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await executionOf(bellhop, first)).status).toBe("running");
    await rows.first().getByRole("button", { name: "Approve Ask a person" }).click();
    const confirmation = page.getByRole("dialog", { name: "Approve: Ask a person" });
    await confirmation.getByText("Fail over to db-2?").waitFor();
    await confirmation.getByLabel("Comment (optional)").fill("Agreed with the database team.");
    await confirmation.getByRole("button", { name: "Approve" }).click();
    await approvals.getByText("Fail over to db-2?").waitFor({ state: "detached" });
    expect(outputOf(await executionOf(bellhop, first))).toMatchObject({
      decision: "approved",
      comment: "Agreed with the database team.",
    });
    // On another page, the title still counts the waiting approvals.
    await page.getByRole("link", { name: "Incidents" }).click();
    await eventually("the title", async () => (await page.title()) === "(1) Incidents · Bellhop");
    await page.goBack();
    // Another person answers while the dialog is open.
    await rows.first().getByRole("button", { name: "Reject Ask a person" }).click();
    await call(bellhop, "POST", `/executions/${second}/cancel`);
    await dialog.getByLabel("Comment (optional)").fill("Not now.");
    await dialog.getByRole("button", { name: "Reject" }).click();
    await dialog.getByText(/^This step does not wait for approval: it was answered/u).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await approvals.waitFor({ state: "detached" });
    await eventually("the title", async () => (await page.title()) === "Overview · Bellhop");
    expect(console.complaints()).toEqual([]);
  });

  test("offers only approvals that the person may answer, and the others with the reason", async () => {
    const id = await asksFor("Delete the volume", "Delete it?", { approvers: { roles: ["admin"] } });
    const executionId = await execute(id);
    const [operator, viewer] = [await console.pageAs("operator"), await console.pageAs("viewer")];
    await section(operator, /^Waiting for approval/u)
      .getByText("Only an administrator may answer")
      .waitFor();
    await section(viewer, /^Waiting for approval/u)
      .getByText("automation:approve")
      .waitFor();
    for (const page of [operator, viewer]) {
      expect(await page.getByRole("button", { name: /^(?:Approve|Reject)/u }).count()).toBe(0);
      expect(await page.title()).toBe("Overview · Bellhop");
    }
    // Those that the person may answer come first, even when they are newer.
    const newer = await execute(await asksFor("Fail over again", "Fail over to db-3?"));
    const approvals = section(operator, /^Waiting for approval/u);
    await approvals.getByText("Fail over to db-3?").waitFor();
    expect(await approvals.getByRole("listitem").first().textContent()).toContain("Fail over to db-3?");
    await call(console.bellhop, "POST", `/executions/${newer}/cancel`);
    await call(console.bellhop, "POST", `/executions/${executionId}/cancel`);
    expect(console.complaints()).toEqual([]);
  });

  test("on a phone keeps Approve and Reject apart, each large enough for a thumb", async () => {
    const executionId = await execute(await asksFor("Reboot", "Reboot web-1?"));
    const page = await console.pageAs("admin", { width: NARROW, height: 844 });
    const approvals = section(page, /^Waiting for approval/u);
    const box = async (button: Locator) => (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const approve = approvals.getByRole("button", { name: /^Approve/u });
    await approve.waitFor();
    const [left, right] = [await box(approve), await box(approvals.getByRole("button", { name: /^Reject/u }))];
    expect(right.x - (left.x + left.width)).toBeGreaterThanOrEqual(44);
    expect(Math.min(left.height, right.height, left.width, right.width)).toBeGreaterThanOrEqual(44);
    await approve.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Approve" }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Approve" }).click();
    await eventually(
      "the answer",
      async () => (await executionOf(console.bellhop, executionId)).status === "succeeded",
    );
    expect(console.complaints()).toEqual([]);
  });
});

function outputOf({ nodeRuns }: { nodeRuns: { output: unknown }[] }): unknown {
  return nodeRuns[0]?.output;
}
