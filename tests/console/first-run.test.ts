import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { firstRunSteps } from "../../console/views/overview/first-run-steps.ts";
import { ROLE_PERMISSIONS } from "../../schema/contract/people.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { runCommand } from "../agent/command-process.ts";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { installCommandIn } from "../support/install-command.ts";
import { publish } from "../support/publish-in-console.ts";

const WIDTH = "document.documentElement.scrollWidth";
const NOTHING = {
  hasAgent: false,
  isOnline: false,
  hasConnection: false,
  hasWorkflow: false,
  isPublished: false,
  hasSucceeded: false,
};

test("the guide has only steps that the person may do, and none after a green execution", () => {
  const names = (role: keyof typeof ROLE_PERMISSIONS, present = NOTHING) =>
    firstRunSteps(present, ROLE_PERMISSIONS[role]).map(({ name }) => name);
  expect(names("admin")).toEqual(["agent", "online", "connection", "workflow", "publish", "run"]);
  expect(names("editor")).toEqual(["connection", "workflow", "publish", "run"]);
  expect(names("operator")).toEqual(["run"]);
  expect(names("viewer")).toEqual([]);
  expect(names("admin", { ...NOTHING, hasSucceeded: true })).toEqual([]);
});

describe.skipIf(NO_CHROMIUM !== null)("the guide through the first run", () => {
  let console: ConsoleUnderTest;
  let home: AgentHome;
  beforeAll(async () => {
    console = await startConsole();
    home = await AgentHome.make();
  });
  afterAll(async () => {
    await home.remove();
    await console.stop();
  });

  test("leads from an empty deployment with a real agent to a succeeded execution, and ends with a line that a person closes", async () => {
    const { url } = console.bellhop;
    const page = await console.pageAs("admin");
    const guide = page.getByRole("region", { name: "First run", exact: true });
    const back = async () => {
      await page.getByRole("link", { name: "Overview" }).click();
      await guide.waitFor();
    };
    await guide.getByText("0 of 6 done").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(await page.getByRole("region", { name: "Set-up" }).count()).toBe(0);
    await guide.getByRole("link", { name: "Create an agent" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("first-1");
    await dialog.getByRole("button", { name: "Create" }).click();
    const { code } = await installCommandIn(page, "Enrol");
    const enrolled = await runCommand(home, ["enrol", "--url", url, "--key-file", home.path("agent.key")], {
      env: { BELLHOP_ENROLMENT_CODE: code },
    });
    expect(enrolled).toMatchObject({ code: 0 });
    await dialog.getByRole("button", { name: "Close" }).click();
    await back();
    await guide.getByText("1 of 6 done").waitFor();
    await home.start(url, { env: { AGENT_API_KEY: "", AGENT_API_KEY_FILE: home.path("agent.key") } });
    await guide.getByText("2 of 6 done").waitFor();

    await guide.getByRole("link", { name: "Create the connection" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("first-1 scripts");
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: /first-1/u }).click();
    await page.getByRole("button", { name: "Create connection" }).click();
    await page.getByRole("heading", { level: 1, name: "first-1 scripts" }).waitFor();
    await back();
    await page.setViewportSize({ width: NARROW, height: 844 });
    await eventually("a guide that fits a phone", async () => Number(await page.evaluate(WIDTH)) <= NARROW);
    await page.setViewportSize({ width: 1440, height: 900 });

    await guide.getByRole("button", { name: "Create the workflow" }).click();
    await page.getByRole("heading", { level: 1, name: "Say hello" }).waitFor();
    // The guide can be left and continued.
    await back();
    await guide.getByText("4 of 6 done").waitFor();
    await guide.getByRole("link", { name: "Open the workflow" }).click();
    await publish(page);
    await back();
    await guide.getByRole("link", { name: "Run the workflow" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run now" }).click();
    await page.waitForURL("**/executions/*");
    await page.getByText("succeeded", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("region", { name: /^Executions of/u }).waitFor();
    await guide.waitFor({ state: "detached" });
    const end = page.getByRole("region", { name: "First run is done" });
    await end.getByText("Your first run succeeded, so this guide is done.").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    // A colleague who never saw the guide does not see its end.
    const colleague = await console.pageAs("editor", { at: null });
    const known = colleague.waitForResponse(/\/executions\?status=succeeded/u);
    await colleague.goto("/");
    await known;
    await colleague.getByRole("region", { name: /^Executions of/u }).waitFor();
    expect(await colleague.getByRole("region", { name: "First run is done" }).count()).toBe(0);
    await end.getByRole("button", { name: "Close the guide" }).click();
    await end.waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("region", { name: /^Executions of/u }).waitFor();
    expect(await page.getByRole("region", { name: /^First run/u }).count()).toBe(0);
    expect(console.complaints()).toEqual([]);
  }, 240_000);
});
