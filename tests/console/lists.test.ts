import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, WIDE, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { createConnection, call } from "../support/management.ts";
import { createOwnerlessToken } from "../support/people.ts";
import { testInFull } from "../support/in-full.ts";
import { execute, publishWorkflow, script } from "./executions-scene.ts";

const withId = z.object({ id: z.string() });
const HOST = "orders-database-primary.eu-central-1.internal";

/** Each list, and a text of its row. `{workflow}`: the id of a workflow that ran. */
const LISTS = [
  ["/incidents", "A disk fills up on the database host in Frankfurt"],
  ["/agents", "Next to the orders database"],
  ["/pools/database", "db-1"],
  ["/workflows", "Make room on the database host"],
  ["/connections", "Scripts beside the database"],
  ["/integrations", "Alerts of Frankfurt"],
  ["/workflows/{workflow}?tab=executions", "By the bootstrap token"],
  ["/workflows/{workflow}?tab=versions", "Manual"],
  ["/settings/users", "admin@example.com"],
  ["/settings/roles", "incidents:write"],
  ["/settings/tokens?owner=everyone", "Nightly report"],
  ["/settings/audit", "Signed in"],
] as const;

describe.skipIf(NO_CHROMIUM !== null)("the lists of the console", () => {
  let console: ConsoleUnderTest;
  let incidentId: string;
  let workflowId: string;
  /** Each goes from list to list. */
  let wide: Page;
  let phone: Page;
  beforeAll(async () => {
    console = await startConsole();
    const { bellhop } = console;
    const agent = { name: "db-1", description: "Next to the orders database", poolId: "database" };
    await call(bellhop, "POST", "/agents", agent, z.unknown());
    const scripts = { name: "Scripts beside the database", type: "script", poolId: "database" };
    const connectionId = await createConnection(bellhop, scripts);
    const graph = { nodes: [script("a", connectionId)], edges: [] };
    workflowId = await publishWorkflow(bellhop, "Make room on the database host", graph);
    await execute(bellhop, workflowId);
    await createOwnerlessToken(bellhop, { name: "Nightly report", permissions: ["automation:read"] });
    await call(bellhop, "POST", "/integrations", { name: "Alerts of Frankfurt", kind: "alertmanager" }, z.unknown());
    const title = "A disk fills up on the database host in Frankfurt";
    const from = { source: "alertmanager", service: "orders", host: HOST, assignedTo: "grace.hopper@example.com" };
    const incident = await call(bellhop, "POST", "/incidents", { title, severity: "medium", ...from }, withId);
    incidentId = incident.id;
    await call(bellhop, "POST", `/incidents/${incidentId}/acknowledge`, undefined, z.unknown());
    wide = await console.pageAs("admin", { width: WIDE });
    phone = await console.pageAs("admin", { width: NARROW, height: 844 });
  });
  afterAll(() => console.stop());
  /** As a link does, without a new start of the scripts. Between two lists is a page without rows: none stays. */
  const go = async (page: Page, at: string) => {
    await page.evaluate(`history.pushState(null, "", "/nowhere")`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await page.evaluate(`history.pushState(null, "", "${at.replace("{workflow}", workflowId)}")`);
  };

  test.each(LISTS)("%s has rows that cut no words on a wide screen", async (at, text) => {
    await go(wide, at);
    await wide.getByRole("row").filter({ hasText: text }).first().waitFor();
    expect(await cutWords(wide)).toEqual([]);
    expect(
      await wide.evaluate(
        `[...document.querySelectorAll("[tabindex]")].filter((box) => box.querySelector("table") !== null && box.scrollWidth > box.clientWidth).length`,
      ),
    ).toBe(0);
  });

  test.each(LISTS)("%s has cards on a phone, which end within the screen", async (at, text) => {
    await go(phone, at);
    await phone.getByRole("listitem").filter({ hasText: text }).first().waitFor();
    expect(await phone.getByRole("table").count()).toBe(0);
    expect(await cutWords(phone)).toEqual([]);
    expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(phone)).toEqual([]);
  });

  test("a click anywhere in a row opens its page, a middle click opens it in a new tab", async () => {
    const page = await console.pageAs("admin", { at: "/incidents" });
    const source = page.getByRole("cell", { name: "alertmanager" });
    const [tab] = await Promise.all([page.context().waitForEvent("page"), source.click({ button: "middle" })]);
    await tab.waitForURL(`**/incidents/${incidentId}`);
    expect(new URL(page.url()).pathname).toBe("/incidents");
    await source.click();
    await page.waitForURL(`**/incidents/${incidentId}`);
    await page.goBack();
    await page.getByRole("link", { name: /^A disk fills up/u }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/incidents/${incidentId}`);
    // A link inside the row leads to its own page.
    await page.goto("/agents");
    await page.getByRole("row").getByRole("link", { name: "database", exact: true }).click();
    await page.waitForURL("**/pools/database");
  });

  test("an agent that has never started has no health score", async () => {
    const page = await console.pageAs("viewer", { at: "/agents" });
    const row = page.getByRole("row").filter({ hasText: "db-1" });
    await row.getByText("Never started").waitFor();
    await row.getByRole("cell", { name: "–" }).waitFor();
    await row.click();
    await page.getByText("It has never connected, so it gets no jobs.").waitFor();
    expect(await page.getByText(/^of (?:50|100)$/u).count()).toBe(0);
  });

  test("the search of the audit log keeps its label while entries load", async () => {
    const page = await console.pageAs("admin", { at: null, width: NARROW });
    await page.route("**/api/v1/automation/audit*", () => {});
    await page.goto("/settings/audit");
    await page.getByRole("status", { name: "Loading" }).waitFor();
    await page.getByRole("button", { name: "Search" }).click({ trial: true });
    expect(await page.locator("[data-loading]").count()).toBe(0);
  });

  test("older executions are loaded when the end of the list comes near", async () => {
    const page = await console.pageAs("operator", { at: null });
    await page.route(/\/automation\/executions\?/u, async (route) => {
      const after = Number(new URL(route.request().url()).searchParams.get("cursor") ?? 0);
      const response = await route.fetch({
        url: route
          .request()
          .url()
          .replace(/&?cursor=\d+/u, ""),
      });
      const { data, ...rest } = z.looseObject({ data: z.array(z.looseObject({})) }).parse(await response.json());
      const items = Array.from({ length: 50 }, (_, n) => ({
        ...data[0],
        id: `exe_${String(999 - after - n).padStart(6, "0")}`,
      }));
      await route.fulfill({
        response,
        json: { ...rest, data: items, nextCursor: after < 150 ? String(after + 50) : null },
      });
    });
    await page.goto("/executions?status=running");
    const last = page.locator(`a[href="/executions/exe_000800"]`);
    await eventually("the last row", async () => {
      await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
      return (await last.count()) > 0;
    });
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
    await page.close();
  });

  testInFull("a list of 10,000 executions has at most 100 rows in the page", async () => {
    const { bellhop } = console;
    await execute(
      bellhop,
      await publishWorkflow(bellhop, "One of many", {
        nodes: [{ id: "wait", type: "delay", seconds: 3_600 }],
        edges: [],
      }),
    );
    const page = await console.pageAs("operator", { at: null });
    await page.route(/\/automation\/executions\?/u, async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = z.looseObject({ data: z.array(z.looseObject({})) }).parse(await response.json());
      const items = Array.from({ length: 10_000 }, (_, n) => ({
        ...data[0],
        id: `exe_${String(10_000 - n).padStart(6, "0")}`,
      }));
      await route.fulfill({ response, json: { ...rest, data: items, nextCursor: null } });
    });
    for (const width of [1440, NARROW]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto("/executions?status=running");
      const rows = page.locator(width === NARROW ? "li" : "tbody tr").filter({ hasText: "One of many" });
      await rows.first().waitFor();
      expect(await page.locator("tbody tr, main li").count()).toBeLessThanOrEqual(100);
      await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight / 2)");
      await rows.first().waitFor();
      const seen = () =>
        page.evaluate(
          "document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('tr[data-row], main li') !== null",
        );
      await eventually("a row in the middle of the list", async () => ((await seen()) === true ? true : null));
      await page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)");
      const last = page.locator(`a[href="/executions/exe_000001"]`);
      await last.waitFor();
      expect(await page.locator("tbody tr, main li").count()).toBeLessThanOrEqual(100);
      await last.click({ trial: true });
    }
  });
});

/** Texts of badges and choices that their box cuts, those that end beyond the window, and headings with a broken word. */
function cutWords(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll("thead th")]
    .filter(({ firstChild }) => firstChild instanceof Text)
    .filter((heading) => {
      const text = document.createRange();
      text.selectNodeContents(heading);
      const lines = new Set([...text.getClientRects()].map(({ top }) => Math.round(top)));
      return lines.size > heading.textContent.trim().split(" ").length;
    })
    .map((heading) => heading.textContent)
    .concat([...document.querySelectorAll(".mantine-Badge-label, .mantine-SegmentedControl-label, .mantine-Button-label")]
    .filter((label) => label.scrollWidth > label.clientWidth || label.getBoundingClientRect().right > innerWidth)
    .map((label) => label.textContent))`);
}
