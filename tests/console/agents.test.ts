import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { AgentHome } from "../agent/agent-process.ts";
import { runCommand } from "../agent/command-process.ts";
import { AgentClient } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import { testInFull } from "../support/in-full.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { installCommandIn, publishRelease } from "../support/install-command.ts";
import { credentialsOf } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createAgent, createConnection, createWorkflow, verb } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("agents and pools in the console", () => {
  let console: ConsoleUnderTest;
  let home: AgentHome;
  beforeAll(async () => {
    console = await startConsole();
    home = await AgentHome.make();
  });
  afterAll(async () => {
    await home?.remove();
    await console?.stop();
  });

  const more = async (page: Page, action: string) => {
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };

  const keyShownBy = async (page: Page) =>
    (await page.locator('pre[aria-label="The agent\'s key"]').textContent()) ?? "";

  testInFull(
    "an agent is created, runs with a key that it got by the shown code, is disabled and enabled, and its key changes only after a warning",
    async () => {
      const { bellhop } = console;
      const page = await console.pageAs("admin", { at: "/agents" });
      await publishRelease(page, bellhop.url);
      await page.getByText("No agents yet").waitFor();
      await page.getByRole("button", { name: "New agent" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Name").fill("web-1");
      await dialog.getByLabel("Pool").fill("web");
      await dialog.getByRole("button", { name: "Create" }).click();
      const { command, code } = await installCommandIn(page);
      expect(command).toBe(
        `curl -fsSL ${bellhop.url}/install.sh | BELLHOP_ENROLMENT_CODE=${code} sudo --preserve-env=BELLHOP_ENROLMENT_CODE sh`,
      );
      await dialog.getByText("Waiting for the agent").waitFor();
      expect(await axeProblems(page)).toEqual([]);

      await runCommand(home, ["enrol", "--url", bellhop.url], { env: { BELLHOP_ENROLMENT_CODE: code } });
      const apiKey = (await home.text("agent.key")).trim();
      await home.start(bellhop.url, { env: { AGENT_API_KEY: apiKey } });
      await dialog.getByText("web-1 is Online").waitFor();
      await dialog.getByRole("link", { name: "Go to the agent" }).click();
      await page.getByRole("heading", { level: 1, name: "web-1" }).waitFor();
      await page.getByText("No job ended in the last hour.").waitFor();
      await page.getByText("100 of 100").waitFor();
      const kept = "JSON.stringify({...localStorage, ...sessionStorage}) + location.href + document.body.innerText";
      for (const secret of [apiKey, code]) expect(await page.evaluate(kept)).not.toContain(secret);
      expect(await axeProblems(page)).toEqual([]);

      await page.getByRole("button", { name: "Disable" }).click();
      await page.getByRole("dialog").getByText("It runs no jobs now.").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
      await page.getByText("This agent is disabled", { exact: true }).waitFor();

      const script = await createConnection(bellhop, { name: "Shop scripts", poolId: "web" });
      const { id } = await createWorkflow(bellhop, {
        name: "Clear the cache",
        trigger: { type: "manual" },
        definition: {
          nodes: [
            { id: "a", type: "action", action: "script.bash", connectionId: script.id, params: { script: "true" } },
          ],
          edges: [],
        },
      });
      await verb(bellhop, id, "publish");
      await verb(bellhop, id, "activate");
      await call(bellhop, "POST", `/workflows/${id}/execute`, {});
      await page.getByRole("link", { name: "web", exact: true }).click();
      await page.getByText("No agent of the pool can take it: web-1 is disabled. Enable it.").waitFor();
      expect(await page.getByRole("link", { name: "Clear the cache" }).getAttribute("href")).toMatch(
        /^\/executions\/exe_/u,
      );
      await page.getByRole("link", { name: "Shop scripts" }).waitFor();
      expect(await axeProblems(page)).toEqual([]);

      await page.getByRole("link", { name: "web-1" }).click();
      await page.getByRole("button", { name: "Enable" }).click();
      await page.getByText("1 of 1 job succeeded in the last hour.").waitFor();

      const chat = await createConnection(bellhop, {
        name: "On-call channel",
        type: "chat",
        config: { defaultChannel: "C024BE91L" },
        poolId: "web",
      });
      await credentialsOf(bellhop).deliver(chat.id);
      await eventually("the credential is delivered", async () => {
        return (await credentialsOf(bellhop).view(chat.id)).credentialStatus === "delivered";
      });
      await more(page, "Regenerate key");
      await page.getByText("Its stored credentials become unreadable").waitFor();
      const listed = await page.getByRole("dialog").getByRole("listitem").allInnerTexts();
      expect(listed).toEqual(["On-call channel (chat)"]);
      await page.getByRole("dialog").getByRole("button", { name: "Regenerate" }).click();
      const another = await keyShownBy(page);
      expect(another).toMatch(/^bh[A-Za-z0-9]{10}_/u);
      expect(another).not.toBe(apiKey);
      // The agent's configuration has a key already, so the command passes the new key and the agent does not ask.
      expect(await page.getByLabel("Set the new key", { exact: true }).textContent()).toContain("--key-file -");
      expect(console.complaints()).toEqual([]);
    },
  );

  testInFull(
    "the dialog waits until the agent registers with its new key, and ignores heartbeats with the former key",
    async () => {
      const { agent, apiKey } = await createAgent(console.bellhop, { name: "rekeyed", poolId: "rekeyed" });
      await new AgentClient(console.bellhop, apiKey).register();
      const page = await console.pageAs("admin", { at: `/agents/${agent.id}` });
      await more(page, "Regenerate key");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Regenerate" }).click();
      const another = await keyShownBy(page);
      await dialog.getByText("Waiting for the agent").waitFor();
      await page.getByText("This agent has not used its new key yet").waitFor({ state: "attached" });
      await dialog.getByLabel("Set the new key", { exact: true }).waitFor();
      await new AgentClient(console.bellhop, another).register();
      await dialog.getByText("rekeyed is Online").waitFor();
      await dialog.getByLabel("Set the new key", { exact: true }).waitFor();
      expect(console.complaints()).toEqual([]);
    },
  );

  testInFull("an agent is not created twice when the first answer was lost and the person tries again", async () => {
    const page = await console.pageAs("admin", { at: "/agents?q=lost-answer" });
    let isLost = true;
    await page.route("**/api/v1/automation/agents", async (route) => {
      if (route.request().method() !== "POST" || !isLost) return route.continue();
      isLost = false;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole("button", { name: "New agent" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("lost-answer");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("The agent was not created, or the answer was lost").waitFor();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("The first attempt succeeded. Do not repeat it.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("link", { name: "lost-answer" }).waitFor();
    expect(await page.getByRole("link", { name: "lost-answer" }).count()).toBe(1);
    expect(console.complaints()).toEqual([]);
  });

  test("a concurrent change of an agent is shown, typed text stays, and a second save overwrites the change", async () => {
    const { agent } = await createAgent(console.bellhop, { name: "db-1", poolId: "db" });
    const page = await console.pageAs("admin", { at: `/agents/${agent.id}` });
    await page.getByRole("button", { name: "Edit or move" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Description").fill("Rack 4");
    await call(console.bellhop, "PATCH", `/agents/${agent.id}`, { name: "db-renamed" });
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("It is now called db-renamed, in pool db.").waitFor();
    expect(await dialog.getByLabel("Description").inputValue()).toBe("Rack 4");
    await dialog.getByRole("button", { name: "Save anyway" }).click();
    await page.getByRole("heading", { level: 1, name: "db-renamed" }).waitFor();
    await page.getByText("Rack 4").waitFor();

    await more(page, "Delete");
    await page.getByText("It runs no jobs now.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.waitForURL("**/agents");
    await page.getByText("db-renamed is deleted.").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("an agent's page shows the isolation of its jobs, and the reason", async () => {
    const { client, publicKey, id } = await credentialsOf(console.bellhop).startAgent("isolated");
    const page = await console.pageAs("viewer", { at: `/agents/${id}` });
    await page.getByText("unknown (older agent)").waitFor();
    const isolationReason = "Jobs run as root.";
    await client.register({ publicKey, isolation: "none", isolationReason });
    await page.reload();
    await page.getByText("Scripts run under the agent's account and can read its files.").waitFor();
    await page.getByText(isolationReason).waitFor();
    expect(await axeProblems(page)).toEqual([]);
    await client.register({ publicKey, isolation: "perJob" });
    await page.reload();
    await page.getByText("Each job runs under a separate account").waitFor();
    await page.goto(`${console.bellhop.url}/agents`);
    await page.getByRole("row").filter({ hasText: "isolated" }).getByText("Per job").waitFor();
    expect(console.complaints()).toEqual([]);
  });

  test("a pool that only connections name says that their jobs wait; a viewer sees everything and no buttons", async () => {
    await createConnection(console.bellhop, { name: "Payments", poolId: "empty" });
    const { agent } = await createAgent(console.bellhop, { name: "seen-by-all", poolId: "web" });
    const page = await console.pageAs("viewer", { at: "/agents", width: NARROW, dark: true });
    await page.getByRole("link", { name: "seen-by-all" }).waitFor();
    await page.getByText("Administrators add and remove them.").waitFor();
    const offered = () => page.locator("main").getByRole("button").allInnerTexts();
    expect(await offered()).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    await page.getByLabel("Search agents").fill("nothing-like-it");
    await page.getByText("No matching agents").waitFor();
    expect(page.url()).toContain("q=nothing-like-it");
    await page.getByRole("link", { name: "empty" }).click();
    await page.getByText("This pool has no agent").waitFor();
    await page.getByText("Connections use it: Payments.").waitFor();
    expect(await offered()).toEqual([]);
    await page.goto(`${console.bellhop.url}/agents/${agent.id}`);
    await page.getByText("This agent has never started").waitFor();
    // The button that copies the agent's id.
    expect(await offered()).toEqual([""]);
    await page.goto(`${console.bellhop.url}/agents/agt_none`);
    await page.getByText("Page not found").waitFor();
    expect(console.complaints()).toEqual([]);
  });
});
