import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KIND_NAMES } from "../../console/views/integrations/kinds.ts";
import { TEST_TAG, sampleEvent } from "../../console/views/integrations/sample-event.ts";
import { integrationSchema } from "../../schema/contract/integration.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { FULL } from "../support/full.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import {
  act,
  deliver,
  createIncident,
  createIntegration,
  getIncident,
  incidentWorkflow,
  listIncidents,
} from "../support/incidents.ts";

import { call, pageOf } from "../support/management-api.ts";

const KINDS = [
  ["PagerDuty Events API v2", "URL to use instead of https://events.pagerduty.com/v2/enqueue"],
  ["Prometheus Alertmanager", "alertmanager.yml: a receiver, and a route to it"],
  ["CloudEvents 1.0", "URL to POST events to: structured, batched or binary"],
] as const;
if (!FULL) globalThis.console.log("skipped  integrations of every kind on their page: in npm run test:full only");

describe.skipIf(NO_CHROMIUM !== null)("incidents and integrations in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test("an incident is created, starts its workflow, and is resolved while another person works on it, too", async () => {
    const { bellhop } = console;
    await incidentWorkflow(bellhop);
    const page = await console.pageAs("operator", { at: "/incidents" });
    await page.getByText("No incidents").waitFor();
    await page.getByRole("button", { name: "New incident" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").fill("The disk of web-1 is full");
    await dialog.getByLabel("Host").fill("web-1");
    await dialog.getByLabel("Tags").fill("full");
    await dialog.getByText("“full” is not name=value").waitFor();
    await dialog
      .getByLabel("Tags")
      .fill("region=eu-1\nrunbook_url=https://wiki.example.com/disk\nodd=javascript:alert(1)");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { level: 1, name: "The disk of web-1 is full" }).waitFor();
    await page.getByText("region=eu-1").waitFor();
    const runbook = page.getByRole("link", { name: "https://wiki.example.com/disk" });
    expect(await runbook.getAttribute("href")).toBe("https://wiki.example.com/disk");
    expect(await page.locator("a[href^=javascript]").count()).toBe(0);
    await page.getByRole("link", { name: "a workflow" }).waitFor();
    expect(await page.getByRole("link", { name: "a workflow" }).getAttribute("href")).toMatch(/^\/executions\/exe_/u);
    // On a phone, the events with their executions come first.
    expect(await page.getByRole("heading", { level: 2 }).allInnerTexts()).toEqual(["Events", "Details"]);
    expect(await axeProblems(page)).toEqual([]);

    await page.getByRole("button", { name: "Acknowledge" }).click();
    await page.getByText("acknowledged", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Reassign" }).click();
    await dialog.getByLabel("Team").fill("platform");
    const [incident] = await listIncidents(bellhop);
    await act(bellhop, incident?.id ?? "", "escalate", {});
    await dialog.getByRole("button", { name: "Reassign" }).click();
    await dialog.getByText("It is now acknowledged, at level 1, assigned to no one.").waitFor();
    expect(await dialog.getByLabel("Team").inputValue()).toBe("platform");
    await dialog.getByRole("button", { name: "Reassign anyway" }).click();
    await page.getByText("platform", { exact: true }).first().waitFor();
    await page.getByRole("button", { name: "Escalate" }).click();
    await dialog.getByLabel("Reason").fill("No answer");
    await dialog.getByRole("button", { name: "Assign to me" }).click();
    await dialog.getByRole("button", { name: "Escalate" }).click();
    await page.getByText("Escalated to level 2", { exact: true }).waitFor();
    await page.getByText("operator@example.com", { exact: true }).waitFor();
    await page.getByText("No answer", { exact: true }).waitFor();
    await page
      .getByText(/, by operator@example\.com$/u)
      .last()
      .waitFor();
    await page.getByRole("button", { name: "Resolve" }).click();
    await page.getByText("resolved", { exact: true }).waitFor();
    expect(await page.getByRole("button", { name: "Escalate" }).count()).toBe(0);
    const { events } = await getIncident(bellhop, incident?.id ?? "");
    expect(events.map(({ type }) => type)).toEqual([
      "incident.created",
      "incident.acknowledged",
      "incident.escalated",
      "incident.reassigned",
      "incident.escalated",
      "incident.resolved",
    ]);

    const { id } = await createIncident(bellhop, { title: "Resolved during an edit" });
    await page.goto(`${bellhop.url}/incidents/${id}`);
    await page.getByRole("button", { name: "Escalate" }).click();
    await dialog.getByLabel("Reason").fill("The on-call engineer does not answer");
    await act(bellhop, id, "resolve", {});
    await dialog.getByText("This incident is resolved").waitFor();
    expect(await dialog.getByLabel("Reason").inputValue()).toBe("The on-call engineer does not answer");
    expect(await dialog.getByRole("button", { name: "Escalate" }).isEnabled()).toBe(false);
    expect(console.complaints()).toEqual([]);
  });

  test("a filter applies when its field is left, and the keyboard goes on in the next field", async () => {
    const page = await console.pageAs("viewer", { at: "/incidents" });
    const service = page.getByRole("textbox", { name: "Service" });
    await service.fill("none-like-it");
    await service.press("Tab");
    await page.waitForURL(/service=none-like-it/u);
    // The filter applies, and the keyboard goes on in the next field.
    await page.getByRole("textbox", { name: "Source" }).and(page.locator(":focus")).waitFor();
    await service.fill("");
    await service.press("Enter");
    await page.waitForURL((url) => !url.search.includes("service"));
    await service.and(page.locator(":focus")).waitFor();
    await page.close();
  });

  testInFull("the list is filtered by the URL, and a viewer sees no buttons to change incidents", async () => {
    await createIncident(console.bellhop, { title: "A slow checkout", severity: "critical" });
    await createIncident(console.bellhop, { title: "A small thing", severity: "low" });
    const page = await console.pageAs("viewer", { at: "/incidents?severity=critical", width: NARROW, dark: true });
    await page.getByRole("link", { name: "A slow checkout" }).waitFor();
    expect(await page.getByRole("link", { name: "A small thing" }).count()).toBe(0);
    expect(await page.getByRole("button", { name: "New incident" }).count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByText("Resolved", { exact: true }).click();
    await page.getByText("No matching incidents").waitFor();
    expect(page.url()).toContain("status=resolved");
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("link", { name: "A small thing" }).click();
    await page.getByRole("heading", { level: 1, name: "A small thing" }).waitFor();
    expect(await page.getByRole("button", { name: /Acknowledge|Resolve|Escalate|Reassign/u }).count()).toBe(0);
    await page.goto(`${console.bellhop.url}/integrations`);
    await page.getByText("No integrations yet").waitFor();
    expect(await page.getByRole("button", { name: "New integration" }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  });

  test.each(KIND_NAMES)("a test event of kind %s opens an incident, and its second event resolves it", async (kind) => {
    const { url } = await createIntegration(console.bellhop, kind);
    const testId = crypto.randomUUID();
    const statuses: (string | undefined)[] = [];
    for (const action of ["trigger", "resolve"] as const) {
      const { contentType, body } = sampleEvent(kind, action, testId, new Date().toISOString());
      expect((await deliver({ url }, body, { "Content-Type": contentType })).ok).toBe(true);
      const incident = (await listIncidents(console.bellhop)).find(({ tags }) => tags[TEST_TAG] === testId);
      expect(incident).toMatchObject({ severity: "low", service: "bellhop-test" });
      statuses.push(incident?.status);
    }
    expect(statuses).toEqual(["triggered", "resolved"]);
  });

  test.skipIf(!FULL).each(KINDS)(
    "an integration for %s is created, and its test events open and resolve an incident",
    async (kind, config) => {
      const page = await console.pageAs("admin", { at: "/integrations" });
      await page.getByRole("button", { name: "New integration" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill(`Alerts by ${kind}`);
      await dialog.getByLabel(kind).check();
      await dialog.getByRole("button", { name: "Create" }).click();
      const url = (await dialog.locator('pre[aria-label="The integration\'s URL"]').textContent()) ?? "";
      expect(await dialog.getByLabel(config, { exact: true }).textContent()).toContain(url);
      await dialog.getByText("(no conditions, so it starts)").waitFor();
      await dialog.getByRole("button", { name: "Send a test event" }).click();
      await dialog.getByText("Accepted: it created an incident").waitFor();
      await dialog.getByText("It started a workflow.").waitFor();
      expect(await axeProblems(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Send the event that resolves it" }).click();
      await dialog.getByText("Accepted: it resolved the incident").waitFor();
      await dialog.getByText("resolved", { exact: true }).waitFor();
      await dialog.getByRole("link", { name: "Test event from Bellhop's console" }).click();
      await page.getByRole("heading", { level: 1, name: "Test event from Bellhop's console" }).waitFor();
      expect(await page.evaluate("document.documentElement.innerHTML")).not.toContain(url.slice(url.indexOf("/itg")));
      expect(console.complaints()).toEqual([]);
    },
  );

  test("an integration's words for severities are saved, and a wrong word is named at its field", async () => {
    const { integration } = await createIntegration(console.bellhop, "alertmanager", "Alertmanager of eu-2");
    const page = await console.pageAs("admin", { at: "/integrations" });
    await page.getByRole("button", { name: "Edit Alertmanager of eu-2" }).click();
    const high = page.getByRole("combobox", { name: "Words for high" });
    await page.getByRole("combobox", { name: "Words for critical" }).fill("SEV-9");
    await page.keyboard.press("Enter");
    await high.fill("sev9");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("sev9: Is the same word as SEV-9: keep one of them.").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await high.press("Backspace");
    await high.fill("page");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Alertmanager of eu-2 is saved.").waitFor();
    const items = await pageOf(await call(console.bellhop, "GET", "/integrations"), integrationSchema);
    expect(items.items.find(({ id }) => id === integration.id)?.severities).toEqual({
      "SEV-9": "critical",
      page: "high",
    });
    expect(console.complaints()).toEqual([]);
  });

  test("an integration is tested with its pasted URL, and refuses events after its deletion", async () => {
    const created = await createIntegration(console.bellhop, "alertmanager", "Alertmanager of eu-1");
    const page = await console.pageAs("admin", { at: "/integrations" });
    await page.getByRole("button", { name: "Test Alertmanager of eu-1" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("The integration's URL").fill("https://example.com/");
    await dialog.getByText("This is not the URL of an integration").waitFor();
    await dialog.getByLabel("The integration's URL").fill(created.url);
    await dialog.getByRole("button", { name: "Send a test event" }).click();
    await dialog.getByText("Accepted: it created an incident").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Delete Alertmanager of eu-1" }).click();
    await dialog.getByText("someone must resolve them here").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Alertmanager of eu-1 is deleted.").waitFor();
    expect((await fetch(created.url, { method: "POST", body: "{}" })).status).toBe(404);
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
