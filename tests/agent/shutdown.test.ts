import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { Loop } from "../../agent/loop.ts";
import { shutDown } from "../../agent/shutdown.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { AgentHome } from "./agent-process.ts";
import { Parts } from "./parts.ts";

describe("the agent process", () => {
  let service: FakeService;
  let home: AgentHome;
  beforeEach(async () => {
    service = await FakeService.start();
    home = await AgentHome.make();
  });
  afterEach(async () => {
    await home.remove();
    await service.stop();
    expect(service.violations).toEqual([]);
  });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    test(`on ${signal} waits for running jobs, sends heartbeats, and takes no new jobs`, async () => {
      const script = `echo $$ > pid; while [ ! -e stop ]; do sleep 0.05; done; echo done`;
      const params = { script, workingDirectory: home.directory };
      const { id } = service.enqueue({ params });
      const agent = await home.start(service.url);
      await pidIn(home.path("pid"));
      agent.kill(signal);
      await eventually("the line that says so", () => agent.log().includes("shutting down"));
      const late = service.enqueue({ params });
      const beats = service.heartbeats.length;
      await eventually("a heartbeat while it waits", () => service.heartbeats.length > beats + 1);
      expect(service.heartbeats.at(-1)).toMatchObject({ held: [`${id}:${service.leaseOf(id)}`], draining: true });
      await Bun.write(home.path("stop"), "");
      expect(await agent.exited).toBe(0);
      expect(service.resultsOf(id)).toMatchObject([{ status: "succeeded", output: { stdout: "done\n" } }]);
      expect(service.resultsOf(late.id)).toEqual([]);
      expect(service.offline).toEqual([{ held: [] }]);
      expect(service.calls.at(-1)?.route).toBe("offline");
    });
  }

  test("reports its shutdown immediately, although its next heartbeat is not due", async () => {
    const script = `echo $$ > pid; while [ ! -e stop ]; do sleep 0.05; done`;
    const { id } = service.enqueue({ params: { script, workingDirectory: home.directory } });
    const agent = await home.start(service.url, { env: { HEARTBEAT_INTERVAL: "85" } });
    await pidIn(home.path("pid"));
    expect(service.heartbeats.some(({ draining }) => draining)).toBe(false);
    agent.kill("SIGTERM");
    await eventually("the heartbeat that says so", () => service.heartbeats.some(({ draining }) => draining));
    const polls = service.callsTo("jobs").length;
    await Bun.write(home.path("stop"), "");
    expect(await agent.exited).toBe(0);
    expect(service.resultsOf(id)).toMatchObject([{ status: "succeeded" }]);
    expect(service.callsTo("jobs").length).toBe(polls);
  });

  test("on a second signal ends immediately with its jobs", async () => {
    const script = `trap "" TERM; echo $$ > pid; while :; do sleep 0.05; done`;
    service.enqueue({ params: { script, workingDirectory: home.directory } });
    const agent = await home.start(service.url);
    const pid = await pidIn(home.path("pid"));
    agent.kill("SIGTERM");
    await eventually("the line that says so", () => agent.log().includes("shutting down"));
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(143);
    await eventually("the end of the script, which ignores SIGTERM", () => !isRunning(pid));
  });

  test("ends cleanly when the service is gone", async () => {
    const agent = await home.start(service.url);
    await eventually("a poll", () => service.callsTo("jobs").length > 0);
    await service.stop();
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    expect(agent.log()).toContain("the offline notification failed");
    service = await FakeService.start();
  });

  test("ends cleanly when it never reached the service", async () => {
    const agent = await home.start("http://127.0.0.1:9");
    await eventually("a failed registration", () => agent.log().includes("registering failed"));
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
  });

  test("ends cleanly when the service refuses its key before the vault is open", async () => {
    const first = await home.start(service.url);
    await eventually("a heartbeat", () => service.heartbeats.length > 0);
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    const agent = await home.start(service.url, { env: { AGENT_API_KEY: `${FAKE_AGENT_KEY.slice(0, -4)}zzzz` } });
    await eventually("the refusal", () => agent.log().includes("registering failed"));
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
  });
});

test("results of an agent whose key is refused stay in its journal, and are sent once only", async () => {
  const agent = await Parts.start();
  const { id } = agent.service.enqueue();
  await agent.poll();
  agent.service.key = "another key";
  agent.executor.end(id);
  await agent.runner.idle();
  const calls = agent.service.calls.length;
  await shutDownWithin(agent, 20);
  expect(agent.service.calls.slice(calls).map(({ route }) => route)).toEqual(["results"]);
  expect(agent.journal.owed()).toMatchObject([{ jobId: id }]);
  expect(agent.logLines.filter((line) => line.includes("the service refuses the key"))).toHaveLength(1);
  await agent.stop();
});

describe("the end of the drain time", () => {
  let agent: Parts;
  beforeEach(async () => {
    agent = await Parts.start({ stopGraceMs: 20 });
  });
  afterEach(() => agent.stop());

  test("stops running jobs and reports them as failed with agent_shutdown", async () => {
    const { id } = agent.service.enqueue();
    await agent.poll();
    await shutDownWithin(agent, 20);
    expect(agent.service.resultsOf(id)).toMatchObject([
      { status: "failed", error: { code: "agent_shutdown" }, output: { stdout: "so far" } },
    ]);
    expect(agent.service.offline).toEqual([{ held: [] }]);
  });

  test("logs no line about getting jobs when the agent is enabled during shutdown", async () => {
    agent.service.enabled = false;
    await agent.heartbeat();
    agent.service.enqueue();
    await agent.poll();
    const done = shutDownWithin(agent, 20);
    agent.service.enabled = true;
    await agent.heartbeat();
    await done;
    expect(agent.logLines.filter((line) => line.includes("enabled again"))).toHaveLength(1);
    expect(agent.logLines.filter((line) => line.includes("it gets jobs"))).toEqual([]);
  });

  test("does not wait for an executor that ignores its signal", async () => {
    agent.executor.obeysStop = false;
    const { id } = agent.service.enqueue();
    await agent.poll();
    await shutDownWithin(agent, 20);
    expect(agent.service.resultsOf(id)).toMatchObject([{ status: "failed", error: { code: "agent_shutdown" } }]);
  });

  test("includes another attempt to send a result that the service did not accept", async () => {
    const { id } = agent.service.enqueue();
    await agent.poll();
    agent.service.forceAck = "retry";
    agent.executor.end(id);
    agent.service.fault("results", "lose_answer");
    const done = shutDownWithin(agent, 20);
    await eventually("a first attempt", () =>
      agent.logLines.some((line) => line.includes("results could not be sent")),
    );
    agent.service.forceAck = null;
    agent.clock.advance(60_000);
    await done;
    expect(agent.journal.owed()).toEqual([]);
  });
});

async function shutDownWithin(agent: Parts, drainMs: number): Promise<void> {
  const idle = () => new Loop(async () => ({ delayMs: 60_000, firm: false }));
  const { runner, sender, journal, link, activity, log } = agent.shared;
  const parts = { runner, sender, journal, link, activity, log };
  await shutDown({ poll: idle(), heartbeat: idle(), drain() {}, ...parts, drainMs });
}
