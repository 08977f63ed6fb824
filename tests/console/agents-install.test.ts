import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { z } from "zod";
import { AgentClient } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { installCommandIn, publishRelease } from "../support/install-command.ts";
import { createAgent } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("the installation of an agent in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console?.stop());

  test("an agent that never registered is installed by one command for each platform, with a code that is replaced", async () => {
    const { bellhop } = console;
    const { agent } = await createAgent(bellhop, { name: "new-1" });
    const page = await console.pageAs("admin", { at: `/agents/${agent.id}`, width: NARROW });
    await publishRelease(page, bellhop.url);
    await page.getByText("Waiting for the agent to connect").waitFor();
    await page.getByRole("button", { name: "Install" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create install command" }).click();
    const first = await installCommandIn(page);
    expect(first.command).toContain(`BELLHOP_ENROLMENT_CODE=${first.code} sudo --preserve-env=`);
    await dialog.getByRole("tab", { name: "Windows" }).click();
    expect(await dialog.getByLabel("Install on Windows", { exact: true }).textContent()).toBe(
      `$env:BELLHOP_ENROLMENT_CODE = '${first.code}'; irm ${bellhop.url}/install.ps1 | iex`,
    );
    expect(await dialog.getByText("saved the key").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(NARROW);
    expect(await axeProblems(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Close" }).click();

    await page.getByRole("button", { name: "Install" }).click();
    await dialog.getByRole("button", { name: "Create install command" }).click();
    const second = await installCommandIn(page);
    const enrol = (code: string) =>
      fetch(`${bellhop.url}/api/v1/agent/enrol`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ code }),
      });
    expect((await enrol(first.code)).status).toBe(410);
    const answer = z.object({ data: z.object({ apiKey: z.string() }) }).parse(await (await enrol(second.code)).json());
    await new AgentClient(bellhop, answer.data.apiKey).register();
    await dialog.getByText("new-1 is Online").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByText("Waiting for the agent to connect").waitFor({ state: "detached" });
    expect(await page.getByRole("button", { name: "Install" }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  });

  test("commands that cannot work are not offered, and one line says what to do", async () => {
    const { agent } = await createAgent(console.bellhop, { name: "nowhere" });
    const open = async (page: Page) => {
      await page.goto(`/agents/${agent.id}`);
      await page.getByRole("button", { name: "Install" }).click();
      return page.getByRole("dialog");
    };
    const offered = (page: Page) => page.getByRole("button", { name: "Create install command" }).count();
    const unpublished = await console.pageAs("admin", { at: null, dark: true });
    await (await open(unpublished)).getByText("npm run build:agent -- --all").waitFor();
    expect(await offered(unpublished)).toBe(0);
    await unpublished.getByRole("button", { name: "Create enrolment code" }).click();
    const { command, code } = await installCommandIn(unpublished, "Enrol");
    expect(command).toBe(`BELLHOP_ENROLMENT_CODE=${code} ./bellhop-agent-linux-x64 enrol --url ${console.bellhop.url}`);
    expect(await axeProblems(unpublished)).toEqual([]);

    const plain = await console.pageAs("admin", { at: null });
    await publishRelease(plain, "http://bellhop.example.com");
    await (await open(plain)).getByText("Agents refuse plain http to another machine").waitFor();
    expect(await offered(plain)).toBe(0);

    const linuxOnly = await console.pageAs("admin", { at: null });
    await publishRelease(linuxOnly, console.bellhop.url, { sums: [{ target: "linux-x64", sha256: "a".repeat(64) }] });
    const dialog = await open(linuxOnly);
    await dialog.getByRole("button", { name: "Create install command" }).click();
    await dialog.getByLabel("Install on Linux", { exact: true }).waitFor();
    expect(await dialog.getByRole("tab").allInnerTexts()).toEqual(["Linux", "Run manually"]);
    expect(console.complaints()).toEqual([]);
  });
});
