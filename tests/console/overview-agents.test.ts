import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { axeProblems } from "../support/axe.ts";
import { NARROW, NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { ended } from "../support/management.ts";
import { createConnection } from "../support/management-api.ts";
import { WorkingAgent, failure } from "../support/working-agent.ts";
import { overviewScene, section } from "./overview-scene.ts";

/** The fewest jobs after which an agent can be degraded. */
const JOBS = 5;

describe.skipIf(NO_CHROMIUM !== null)("the overview", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());
  const { execute, published } = overviewScene(() => console.bellhop);

  test("says why an agent is degraded, and leads to the failures and what to do", async () => {
    const { bellhop } = console;
    const agent = await WorkingAgent.start(bellhop, "disk-full");
    agent.does((job) => failure(job));
    const { id: connectionId } = await createConnection(bellhop, { poolId: "disk-full" });
    const step = { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "true" } };
    const workflowId = await published("Clean up", step);
    for (let job = 0; job < JOBS; job += 1) await ended(bellhop, await execute(workflowId));
    const page = await console.pageAs("viewer", { width: NARROW });
    const agents = section(page, /^Agents offline or degraded/u);
    await agents.getByText(/^0 of 5 jobs succeeded in the last hour\./u).waitFor();
    expect(await agents.getByRole("link", { name: "What to do" }).getAttribute("href")).toBe(
      "/help/operations#degraded-agents",
    );
    expect(await axeProblems(page)).toEqual([]);
    await agents.getByRole("link", { name: "Failed executions" }).click();
    await page.waitForURL("**/executions?status=failed&from=*");
    await page.getByText("Clean up").first().waitFor();
    expect(console.complaints()).toEqual([]);
    await agent.stop();
  });
});
