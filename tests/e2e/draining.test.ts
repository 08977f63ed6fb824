import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import { pidIn } from "../support/processes.ts";

/** Compiled agents against the real service. Polls and heartbeats are rare, so that each test causes its own. */
const SELDOM = { POLL_INTERVAL: "3600", HEARTBEAT_INTERVAL: "85" };

let bellhop: Bellhop;
const homes: AgentHome[] = [];

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop?.stop());
beforeEach(async () => {
  homes.push(await AgentHome.make(), await AgentHome.make());
});
afterEach(async () => {
  await Promise.all(homes.map((home) => writeFile(home.path("stop"), "")));
  await Promise.all(homes.splice(0).map((home) => home.remove()));
});

async function startAgent(home: AgentHome, name: string, poolId: string) {
  const { agent, apiKey } = await createAgent(bellhop, { name, poolId });
  const started = await home.start(bellhop.url, { env: { ...SELDOM, AGENT_API_KEY: apiKey } });
  await eventually("its wake socket", () => started.log().includes("the wake socket is open"));
  return { id: agent.id, process: started };
}

async function agentOf(executionId: string): Promise<string | null> {
  const { nodeRuns } = await getExecution(bellhop, executionId);
  return (await call(bellhop, "GET", `/jobs/${nodeRuns[0]?.jobId}`, undefined, jobViewSchema)).agentId;
}

test("a job that comes while an agent drains goes to another agent, and the first finishes its own job", async () => {
  const [home, otherHome] = homes;
  if (home === undefined || otherHome === undefined) throw new Error("unreachable");
  const connectionId = await createConnection(bellhop, { type: "script", poolId: "leave" });
  const workflow = (script: string) =>
    createWebhookWorkflow(bellhop, chain([{ id: "run", action: "script.bash", connectionId, params: { script } }]));
  const waitIn = (at: AgentHome, mark: string) =>
    `echo $$ > ${at.path(mark)}; while [ -d ${at.directory} ] && [ ! -e ${at.path("stop")} ]; do sleep 0.05; done`;

  const other = await startAgent(otherHome, "other", "leave");
  const [first, second] = [await workflow(waitIn(otherHome, "pid1")), await workflow(waitIn(otherHome, "pid2"))];
  await acceptedId(await first.ring());
  await pidIn(otherHome.path("pid1"));
  await acceptedId(await second.ring());
  await pidIn(otherHome.path("pid2"));
  const leaving = await startAgent(home, "leaving", "leave");
  const own = await acceptedId(await (await workflow(waitIn(home, "pid"))).ring());
  await pidIn(home.path("pid"));

  const quick = await workflow("echo done");
  leaving.process.kill("SIGTERM");
  await eventually("the log line", () =>
    leaving.process.log().includes("the service knows that this agent shuts down"),
  );
  const late = await acceptedId(await quick.ring());
  expect((await ended(bellhop, late)).status).toBe("succeeded");
  expect(await agentOf(late)).toBe(other.id);

  await writeFile(home.path("stop"), "");
  expect((await ended(bellhop, own)).status).toBe("succeeded");
  expect(await agentOf(own)).toBe(leaving.id);
  expect(await leaving.process.exited).toBe(0);
});
