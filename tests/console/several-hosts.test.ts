import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { connectionSchema } from "../../schema/contract/management.ts";
import { createConnection, call, createWorkflow, dataOf, pageOf } from "../support/management-api.ts";
import { eventually } from "../support/eventually.ts";
import { testInFull } from "../support/in-full.ts";
import { WorkingAgent } from "../support/working-agent.ts";

const SEVERAL = { targets: ["web-*.example.org", "db-1"], authType: "none" };

describe.skipIf(NO_CHROMIUM !== null)("a connection to several hosts in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("is created with a line for each host, and a wrong line is named", async () => {
    const page = await console.pageAs("admin", { at: "/connections/new?type=ssh" });
    await page.getByRole("textbox", { name: "Name" }).fill("Web servers");
    await page.getByRole("radio", { name: "Several hosts" }).check();
    const hosts = page.getByRole("textbox", { name: "Hosts" });
    await hosts.fill("db-1\n\n*.org\na.example.org,b.example.org\n");
    await page.getByRole("textbox", { name: "User" }).fill("deploy");
    await page.getByRole("radio", { name: "A pool of agents" }).check();
    await page
      .getByRole("combobox", { name: "Pool" })
      .or(page.getByRole("textbox", { name: "Pool" }))
      .first()
      .fill("web");
    await page.getByRole("button", { name: "Create connection" }).click();
    await page.getByText(/^Line 3 must be a pattern.+Line 4 must be one host/u).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await hosts.fill("db-1\nweb-*.example.org");
    await page.getByRole("button", { name: "Create connection" }).click();
    await page.getByText(/^Host keys: no host has a key yet/u).waitFor();
    // The dialog that delivers the credential.
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await axeProblems(page)).toEqual([]);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("textbox", { name: "Host keys" }).fill(`db-1 SHA256:${"a".repeat(43)}`);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Web servers was saved.").waitFor();
    await page.getByText(/^Host keys: no host/u).waitFor({ state: "detached" });
    const { items } = await pageOf(await call(console.bellhop, "GET", "/connections"), connectionSchema);
    expect(items.find(({ name }) => name === "Web servers")?.config).toMatchObject({
      targets: ["db-1", "web-*.example.org"],
      hostKeys: [`db-1 SHA256:${"a".repeat(43)}`],
    });
  });

  test("goes back to one host by an edit, without the list", async () => {
    const { id } = await createConnection(console.bellhop, { type: "http", config: SEVERAL });
    const page = await console.pageAs("admin", { at: `/connections/${id}/edit` });
    expect(await page.getByRole("textbox", { name: "Hosts" }).inputValue()).toBe(SEVERAL.targets.join("\n"));
    // One wrong click loses no list.
    await page.getByRole("radio", { name: "One host" }).check();
    await page.getByRole("radio", { name: "Several hosts" }).check();
    expect(await page.getByRole("textbox", { name: "Hosts" }).inputValue()).toBe(SEVERAL.targets.join("\n"));
    await page.getByRole("radio", { name: "One host" }).check();
    await page.getByRole("textbox", { name: "Base URL" }).fill("https://web-1.example.org");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("was saved.").waitFor();
    const { items } = await pageOf(await call(console.bellhop, "GET", "/connections"), connectionSchema);
    expect(items.find((one) => one.id === id)?.config).not.toHaveProperty("targets");
  });

  test("is tested on a host that a person names", async () => {
    const agent = await WorkingAgent.start(console.bellhop, "tested");
    const { id } = await createConnection(console.bellhop, { type: "http", poolId: "tested", config: SEVERAL });
    const page = await console.pageAs("admin", { at: `/connections/${id}` });
    await page.getByRole("textbox", { name: "Host to test" }).fill("web-7.example.org");
    await page.getByRole("button", { name: "Test the connection" }).click();
    await eventually("the agent has the test", () => agent.jobs.length > 0);
    expect(agent.jobs.map(({ kind, target }) => [kind, target])).toEqual([["connectionTest", "web-7.example.org"]]);
    await page.getByText("Host: web-7.example.org", { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await agent.stop();
  });

  testInFull("has a field for the host in the form of a step, and the run shows it", async () => {
    const agent = await WorkingAgent.start(console.bellhop, "run");
    const { id: connectionId } = await createConnection(console.bellhop, {
      type: "http",
      poolId: "run",
      config: SEVERAL,
    });
    const node = {
      id: "ask",
      type: "action",
      action: "http.request",
      connectionId,
      target: "db-1",
      params: { path: "x" },
    };
    const trigger = { type: "manual" };
    const { id } = await createWorkflow(console.bellhop, { trigger, definition: { nodes: [node], edges: [] } });
    const page = await console.pageAs("admin", { at: `/workflows/${id}/edit` });
    await page.locator('.react-flow__node[data-id="ask"]').click();
    const host = page.getByRole("textbox", { name: "Host", exact: true });
    await host.fill("evil.example");
    await host.press("Tab");
    const problem = page.getByText("Is not one of the connection's hosts").first();
    await problem.waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await host.fill("web-3.example.org");
    await problem.waitFor({ state: "detached" });
    await eventually("the draft is saved", async () =>
      (await (await call(console.bellhop, "GET", `/workflows/${id}`)).text()).includes("web-3.example.org"),
    );
    await call(console.bellhop, "POST", `/workflows/${id}/publish`);
    const started = await call(console.bellhop, "POST", `/workflows/${id}/execute`, {});
    const { executionId } = await dataOf(started, 201, triggerAnswerSchema);
    await page.goto(`/executions/${executionId}?node=ask`);
    await page.getByText("Host: web-3.example.org", { exact: true }).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(agent.jobs[0]?.target).toBe("web-3.example.org");
    await agent.stop();
  });
});
