import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectionSchema, workflowSchema } from "../../schema/contract/management.ts";
import { publish } from "../support/publish-in-console.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { call, createConnection, createWorkflow, dataOf } from "../support/management-api.ts";
import { createUser } from "../support/people.ts";

describe.skipIf(NO_CHROMIUM !== null)("who may use a connection, in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  const SSH = { type: "ssh", config: { host: "web-1.internal", username: "deploy", authMethod: "password" } };
  const usableByOf = async (id: string) =>
    (await dataOf(await call(console.bellhop, "GET", `/connections/${id}`), 200, connectionSchema)).usableBy;

  test("an administrator limits the use to people, roles and workflows, and removes the limit", async () => {
    const { bellhop } = console;
    const page = await console.pageAs("admin", { at: null });
    const person = await createUser(bellhop, { role: "editor" });
    const workflow = await createWorkflow(bellhop, { name: "Restart the web server" });
    const { id } = await createConnection(bellhop, { ...SSH, name: "Web server" });
    await page.goto(`/connections/${id}`);
    const panel = page.getByRole("region", { name: "Who may use it" });
    await panel.getByText("Everyone who may edit workflows.").waitFor();
    await panel.getByRole("button", { name: "Change who may use it" }).click();
    const dialog = page.getByRole("dialog", { name: "Who may use Web server?" });
    await dialog.getByRole("radio", { name: "Only those named here" }).click();
    await dialog.getByText("With nothing chosen, no workflow may use it.").waitFor();
    const choose = async (field: string, option: string) => {
      const box = dialog.getByRole("combobox", { name: field });
      await box.click();
      await page.getByRole("option", { name: option }).click();
      await box.press("Escape");
    };
    await choose("Workflows", "Restart the web server");
    await dialog.getByText("Deliver the credential again after this change.").waitFor();
    await choose("People", person.email);
    await dialog.getByRole("checkbox", { name: "admin" }).check();
    expect(await dialog.getByText("Deliver the credential again after this change.").count()).toBe(0);
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await panel.getByText(person.email).waitFor();
    await panel.getByRole("link", { name: "Restart the web server" }).waitFor();
    expect(await usableByOf(id)).toEqual({ people: [person.id], roles: ["admin"], workflows: [workflow.id] });
    expect(await axeProblems(page)).toEqual([]);

    await panel.getByRole("button", { name: "Change who may use it" }).click();
    await dialog.getByRole("radio", { name: "Everyone who may edit workflows" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await panel.getByText("Everyone who may edit workflows.").waitFor();
    expect(await usableByOf(id)).toBeNull();
    expect(console.complaints()).toEqual([]);
  });

  test("an editor sees who may use it with people's ids, cannot change it, and a deleted workflow is unknown", async () => {
    const { bellhop } = console;
    const gone = await createWorkflow(bellhop);
    const person = await createUser(bellhop, { role: "editor" });
    const usableBy = { people: [person.id], roles: [], workflows: [gone.id] };
    const { id } = await createConnection(bellhop, { ...SSH, name: "Web server", usableBy });
    await call(bellhop, "DELETE", `/workflows/${gone.id}`);
    const page = await console.pageAs("editor", { at: `/connections/${id}`, width: NARROW });
    const panel = page.getByRole("region", { name: "Who may use it" });
    await panel.getByText(`${gone.id} (unknown)`).waitFor();
    await panel.getByText(person.id, { exact: true }).waitFor();
    expect(await panel.getByRole("button").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(console.complaints()).toEqual([]);
  });

  test("a refused save or publish is shown at the step that names the connection", async () => {
    const { bellhop } = console;
    const usableBy = { people: [], roles: ["admin"], workflows: [] };
    const { id: connectionId } = await createConnection(bellhop, { name: "Payroll", usableBy });
    const step = { id: "pay", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
    const { id } = await createWorkflow(bellhop, { name: "Pay", definition: { nodes: [step], edges: [] } });
    const page = await console.pageAs("editor", { at: `/workflows/${id}/edit` });
    await publish(page);
    const problems = page.getByRole("tabpanel", { name: /Problems/u });
    await problems.getByText("is a connection that you may not use").waitFor();
    await problems.getByText("pay: Connection", { exact: true }).waitFor();
    await page.locator('.react-flow__node[data-id="pay"]').click();
    await page.keyboard.press("Control+d");
    await page.keyboard.press("Control+s");
    await page.getByText(/^Not saved: You may not use the connection/u).waitFor();
    await problems.getByText("is a connection that you may not use").waitFor();
    expect(
      (await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema)).definition.nodes,
    ).toHaveLength(1);
    expect(console.complaints()).toEqual([]);
  });
});
