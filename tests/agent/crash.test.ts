import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { AgentHome } from "./agent-process.ts";

let service: FakeService;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
});
afterEach(async () => {
  // Scripts that outlive their agent end when this file exists.
  await writeFile(home.path("stop"), "");
  await home.remove();
  await service.stop();
  expect(service.violations).toEqual([]);
});

/** Records that it runs, then waits for the file `stop`. */
const waiting = () =>
  `echo run >> ${home.path("ran")}; echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;
const noting = (id: string) => `echo ${id} >> ${home.path("ran")}`;

describe("kill -9 of the agent", () => {
  test("during a job makes the next start report it as interrupted, and it never runs again", async () => {
    const { id } = service.enqueue({ params: { script: waiting() } });
    const first = await home.start(service.url);
    await pidIn(home.path("pid"));
    first.kill("SIGKILL");
    expect(await first.exited).toBe(137);
    const second = await home.start(service.url);
    await eventually("the result", () => service.resultsOf(id).length === 1);
    expect(service.resultsOf(id)).toMatchObject([
      { status: "interrupted", error: { code: "interrupted" }, ack: "accepted" },
    ]);
    service.assignAgain(id);
    await eventually("the result under the newer lease", () => service.resultsOf(id).length === 2);
    expect(service.resultsOf(id)[1]).toMatchObject({
      status: "interrupted",
      lease: service.leaseOf(id),
      ack: "accepted",
    });
    expect(await home.text("ran")).toBe("run\n");
    expect(second.log()).toContain("they are reported as interrupted");
    expect(new Set(service.registrations.map(({ journalId }) => journalId)).size).toBe(1);
    expect(new Set(service.registrations.map(({ instanceId }) => instanceId)).size).toBe(2);
  });

  test("between a result and its acknowledgement delivers the result once, and the job does not run again", async () => {
    const { id } = service.enqueue({ params: { script: `${noting("one")}; echo out` } });
    service.fault("results", "hang");
    const first = await home.start(service.url);
    await eventually("the call that is never answered", () => service.callsTo("results").length === 1);
    first.kill("SIGKILL");
    await first.exited;
    expect(service.results).toEqual([]);
    await home.start(service.url);
    await eventually("the result", () => service.resultsOf(id).length === 1);
    const polls = service.callsTo("jobs").length;
    await eventually("two more polls", () => service.callsTo("jobs").length >= polls + 2);
    expect(service.resultsOf(id)).toMatchObject([
      { status: "succeeded", output: { stdout: "out\n" }, ack: "accepted" },
    ]);
    expect(await home.text("ran")).toBe("one\n");
  });

  test("repeated under load leaves every job run at most once and reported exactly once", async () => {
    const ids: string[] = [];
    for (let round = 0; round < 5; round++) {
      for (let index = 0; index < 8; index++) {
        const id = `load_${round}_${index}`;
        ids.push(service.enqueue({ id, params: { script: `${noting(id)}; sleep 0.0${index}` } }).id);
      }
      const agent = await home.start(service.url, { env: { MAX_CONCURRENT_JOBS: "4", LOG_LEVEL: "ERROR" } });
      const before = service.results.length;
      // Each round ends at a different point of the work.
      await eventually("some work", () => service.results.length >= before + round + 1);
      agent.kill("SIGKILL");
      await agent.exited;
    }
    await home.start(service.url, { env: { MAX_CONCURRENT_JOBS: "4", LOG_LEVEL: "ERROR" } });
    const accepted = () => service.results.filter(({ ack }) => ack === "accepted").map(({ jobId }) => jobId);
    await eventually("all results", () => accepted().length === ids.length, 40_000);
    expect(accepted().toSorted()).toEqual(ids.toSorted());
    const ran = (await home.text("ran")).trim().split("\n");
    expect(new Set(ran).size).toBe(ran.length);
    const succeeded = service.results.filter(({ status }) => status === "succeeded").map(({ jobId }) => jobId);
    for (const id of succeeded) expect(ran).toContain(id);
    // Every job that did not succeed was interrupted; there was no other outcome.
    expect(service.results.filter(({ status }) => status !== "succeeded" && status !== "interrupted")).toEqual([]);
  });
});

describe("a second agent on the same vault and journal", () => {
  test("does not start, and says what to do", async () => {
    const first = await home.start(service.url);
    await eventually("the first one's poll", () => service.callsTo("jobs").length > 0);
    const second = await home.start(service.url);
    expect(await second.exited).toBe(75);
    expect(second.log()).toContain("another bellhop-agent already uses");
    expect(second.log()).toContain("give this agent another VAULT_PATH");
    expect(service.registrations).toHaveLength(1);
    expect(isRunning(first.pid)).toBe(true);
  });

  test("starts once the first one is dead, even if it was killed", async () => {
    const first = await home.start(service.url);
    await eventually("the first one's poll", () => service.callsTo("jobs").length > 0);
    first.kill("SIGKILL");
    await first.exited;
    await home.start(service.url);
    await eventually("the second one's registration", () => service.registrations.length === 2);
  });
});

test("a superseded agent ends with a clear log line, and ends its jobs", async () => {
  service.enqueue({ params: { script: waiting() } });
  const agent = await home.start(service.url);
  const pid = await pidIn(home.path("pid"));
  service.refuseSession("superseded");
  expect(await agent.exited).toBe(76);
  expect(agent.log()).toMatch(
    /"ERROR","message":"this agent is superseded: .*two machines must not share one agent key/u,
  );
  expect(isRunning(pid)).toBe(false);
  expect(service.offline).toEqual([]);
});

test("an agent with a full disk goes on without new jobs, and runs them when there is room again", async () => {
  // To the journal, a limit on file sizes looks like a full disk. Without the trap, SIGXFSZ would end the process.
  const wrap = ["/bin/sh", "-c", 'trap "" XFSZ; exec prlimit --fsize=2560: "$0"'];
  const text = "x".repeat(1_000);
  for (let index = 0; index < 4; index++) service.enqueue({ id: `fill${index}`, params: { script: `echo ${text}` } });
  const agent = await home.start(service.url, { wrap, env: { MAX_CONCURRENT_JOBS: "1" } });
  await eventually("the line that says so", () => agent.log().includes("the journal cannot be written"));
  const beats = service.heartbeats.length;
  await eventually("heartbeats that go on", () => service.heartbeats.length > beats);
  await eventually("polls without room", () => service.callsTo("jobs").at(-1)?.query.get("capacity") === "0");
  const finished = service.results.length;
  expect(finished).toBeLessThan(4);
  Bun.spawnSync(["prlimit", "--pid", String(agent.pid), "--fsize=unlimited:"]);
  await eventually("all results", () => new Set(service.results.map(({ jobId }) => jobId)).size === 4);
  expect(service.results.every(({ status, ack }) => status === "succeeded" && ack === "accepted")).toBe(true);
});
