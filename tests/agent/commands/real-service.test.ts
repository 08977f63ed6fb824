import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { copyFile } from "node:fs/promises";
import { buildAgent } from "../../../scripts/build-agent.ts";
import { startBellhop } from "../../support/bellhop.ts";
import type { Bellhop } from "../../support/bellhop.ts";
import { eventually } from "../../support/eventually.ts";
import { createAgent } from "../../support/management.ts";
import { TestReleases, testKey } from "../../support/test-release.ts";
import { AgentHome } from "../agent-process.ts";
import { examine } from "./doctor-report.ts";

const { key } = testKey();
let releases: TestReleases;
let bellhop: Bellhop;
let home: AgentHome;
beforeAll(async () => {
  releases = await TestReleases.start();
  await releases.publish("7.0.0", key);
  await releases.publish("7.1.0", key);
  bellhop = await startBellhop({ downloadsDirectory: releases.directory });
});
afterAll(async () => {
  await bellhop.stop();
  await releases.remove();
});
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

test("doctor checks its key at the real service without superseding the running agent", async () => {
  const { apiKey } = await createAgent(bellhop);
  const agent = await home.start(bellhop.url, { env: { AGENT_API_KEY: apiKey } });
  await eventually("the registration", () => agent.log().includes('"registered"'));
  await eventually("the note of it", async () => (await home.text("vault.status.json")) !== "");
  const good = await examine(home, bellhop.url, { AGENT_API_KEY: apiKey });
  expect(good.failed).toEqual([]);
  expect(good.of("key")).toBe("ok the service accepts AGENT_API_KEY");
  // workerd alone sends no Date header.
  expect(good.of("clock")).toMatch(/^ok this host is 0\.\d s/u);
  expect(good.of("agent")).toStartWith("ok an agent runs on this vault");
  const last = apiKey.endsWith("A") ? "B" : "A";
  const wrong = await examine(home, bellhop.url, { AGENT_API_KEY: `${apiKey.slice(0, -1)}${last}` });
  expect(wrong.failed).toContain("key");
  agent.kill("SIGTERM");
  expect(await agent.exited).toBe(0);
  expect(agent.log().split('"registered"')).toHaveLength(2);
});

test("update installs the newest or the named release of the real service from its compressed download", async () => {
  const agent = home.path("bellhop-agent");
  const update = async (...args: string[]) => {
    await copyFile(await buildAgent(), agent);
    const env = { AGENT_API_URL: bellhop.url, AGENT_RELEASE_KEY: key.publicKey, PATH: process.env["PATH"] ?? "" };
    const child = Bun.spawn([agent, "update", "--yes", ...args], { env, stdout: "pipe", stderr: "pipe" });
    const [stderr, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    return (await new Response(Bun.spawn([agent, "--version"], { env, stdout: "pipe" }).stdout).text()).trim();
  };
  expect(await update()).toBe("bellhop-agent 7.1.0");
  expect(await update("--version", "7.0.0")).toBe("bellhop-agent 7.0.0");
});
