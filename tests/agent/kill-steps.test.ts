import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { eventually } from "../support/eventually.ts";
import { FakeService } from "../support/fake-service.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { AgentHome } from "./agent-process.ts";

/** One test for each step of a job at which the agent can be killed. No test waits for a fixed time. */
let service: FakeService;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  home = await AgentHome.make();
});
afterEach(async () => {
  await writeFile(home.path("stop"), "");
  await home.remove();
  await service.stop();
  expect(service.violations).toEqual([]);
});

const noting = (word: string) => `echo ${word} >> ${home.path("ran")}`;
const statuses = (id: string) => service.resultsOf(id).map(({ status, ack }) => `${status} ${ack}`);

test("killed before it received the delivered job: the job is delivered again, and runs once", async () => {
  const agent = await home.start(service.url);
  await eventually("a poll", () => service.callsTo("jobs").length > 0);
  const { id } = service.enqueue({ params: { script: noting("run") } });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  service.beforeAnswer("jobs", () => {
    // The answer reaches the machine, but not the process.
    agent.kill("SIGSTOP");
    stop();
  });
  await stopped;
  await eventually("the delivery", () => service.leaseOf(id) !== "");
  const lease = service.leaseOf(id);
  agent.kill("SIGKILL");
  await agent.exited;
  await home.start(service.url);
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(statuses(id)).toEqual(["succeeded accepted"]);
  expect(service.resultsOf(id)[0]?.lease).toBe(lease);
  expect(await home.text("ran")).toBe("run\n");
});

test("killed by the first line of the job's script: the job is interrupted, and its second line never runs", async () => {
  const script = `${noting("first")}; echo $$ > ${home.path("pid")}; kill -9 $PPID; sleep 300; ${noting("second")}`;
  const { id } = service.enqueue({ params: { script } });
  const agent = await home.start(service.url);
  expect(await agent.exited).toBe(137);
  await home.start(service.url);
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(statuses(id)).toEqual(["interrupted accepted"]);
  expect(isRunning(await pidIn(home.path("pid")))).toBe(false);
  expect(await home.text("ran")).toBe("first\n");
});

test("killed when the job was done but not recorded: the job is interrupted, because its outcome is unknown", async () => {
  const { id } = service.enqueue({ params: { script: `${noting("done")}; kill -9 $PPID` } });
  const agent = await home.start(service.url);
  expect(await agent.exited).toBe(137);
  await home.start(service.url);
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(statuses(id)).toEqual(["interrupted accepted"]);
  expect(await home.text("ran")).toBe("done\n");
});

test("killed before it got the answer to a result: the result is reported again, and is a duplicate", async () => {
  const { id } = service.enqueue({ params: { script: noting("run") } });
  const agent = await home.start(service.url);
  service.beforeAnswer("results", () => agent.kill("SIGSTOP"));
  await eventually("the report", () => service.resultsOf(id).length === 1);
  agent.kill("SIGKILL");
  await agent.exited;
  await home.start(service.url);
  await eventually("the second report", () => service.resultsOf(id).length === 2);
  expect(statuses(id)).toEqual(["succeeded accepted", "succeeded duplicate"]);
  expect(await home.text("ran")).toBe("run\n");
});

test("killed after the acknowledgement: a service that lost the result gets it again, and the job does not run again", async () => {
  const { id } = service.enqueue({ params: { script: `${noting("run")}; echo out` } });
  const agent = await home.start(service.url);
  await eventually("the acknowledgement", () => agent.log().includes("a result was accepted"));
  agent.kill("SIGKILL");
  await agent.exited;
  service.forgetResult(id);
  await home.start(service.url);
  await eventually("the result once more", () => service.resultsOf(id).length === 2);
  expect(service.resultsOf(id)[1]).toMatchObject({ status: "succeeded", output: { stdout: "out\n" }, ack: "accepted" });
  expect(await home.text("ran")).toBe("run\n");
});

test("killed again while it ends a leftover process: the third agent ends it, and reports once", async () => {
  // Bash's output pipe is gone with the first agent, and a message of bash would end it.
  const trap = `exec > /dev/null 2>&1; trap 'echo asked > ${home.path("asked")}' TERM`;
  const script = `${trap}; echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;
  const { id } = service.enqueue({ params: { script } });
  const first = await home.start(service.url);
  const pid = await pidIn(home.path("pid"));
  first.kill("SIGKILL");
  await first.exited;
  const second = await home.start(service.url);
  await eventually("the second to ask it to end", async () => (await home.text("asked")) !== "");
  second.kill("SIGKILL");
  await second.exited;
  expect(service.results).toEqual([]);
  await home.start(service.url);
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(statuses(id)).toEqual(["interrupted accepted"]);
  expect(isRunning(pid)).toBe(false);
});

test("stopped between delivery and start for too long: the job is left to the service, and runs when delivered again", async () => {
  const agent = await home.start(service.url);
  await eventually("a poll", () => service.callsTo("jobs").length > 0);
  const { id } = service.enqueue({ params: { script: noting("run") }, startWithinSeconds: 0.3 });
  service.beforeAnswer("jobs", () => agent.kill("SIGSTOP"));
  await eventually("the delivery", () => service.leaseOf(id) !== "");
  // On a busy machine, the next delivery could be too late, too.
  service.change(id, { startWithinSeconds: 60 });
  const deliveredAt = performance.now();
  await eventually("the time to be over", () => performance.now() - deliveredAt > 400);
  agent.kill("SIGCONT");
  await eventually("the line that says so", () => agent.log().includes('"too_late":1'));
  await eventually("the result of the next delivery", () => service.resultsOf(id).length === 1);
  expect(statuses(id)).toEqual(["succeeded accepted"]);
  expect(await home.text("ran")).toBe("run\n");
});
