import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { axeProblems } from "../support/axe.ts";
import { NO_CHROMIUM, startConsole } from "../support/console.ts";
import type { ConsoleUnderTest } from "../support/console.ts";
import { credentialsOf } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection } from "../support/management-api.ts";

describe.skipIf(NO_CHROMIUM !== null)("a connection in the console", () => {
  let console: ConsoleUnderTest;
  beforeAll(async () => {
    console = await startConsole();
  });
  afterAll(() => console.stop());

  test("shows its last test to colleagues and after a reload, and marks it when the connection changes after it", async () => {
    const { bellhop } = console;
    const { client } = await credentialsOf(bellhop).startAgent("tested");
    const { id } = await createConnection(bellhop, { name: "Tested", poolId: "tested" });
    const page = await console.pageAs("viewer", { at: `/connections/${id}` });
    await page.getByText("Not tested yet.").waitFor();
    await call(bellhop, "POST", `/connections/${id}/test?waitSeconds=0`);
    const job = await eventually("the test reaches its agent", async () => (await client.poll()).jobs[0]);
    const checks = [{ name: "Shell", ok: false, detail: "bash is not there: install it" }];
    await client.report(success(job, { ok: false, latencyMs: 1_250, checks }));
    await page.reload();
    await page.getByText("Test failed").waitFor();
    await page.getByText("bash is not there: install it").waitFor();
    await page.getByText(/, in 1\.3 s, on an agent, by the bootstrap token$/u).waitFor();
    expect(await page.getByText("before the last change").count()).toBe(0);
    await call(bellhop, "PATCH", `/connections/${id}`, { name: "Renamed" });
    await page.reload();
    await page.getByText("before the last change").waitFor();
    expect(await axeProblems(page)).toEqual([]);
    expect(console.complaints()).toEqual([]);
  });
});
