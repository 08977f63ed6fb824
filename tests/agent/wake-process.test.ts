import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { eventually } from "../support/eventually.ts";
import { send } from "../support/fake-service-http.ts";
import { FakeService } from "../support/fake-service.ts";
import { pidIn } from "../support/processes.ts";
import { startTcpRelay } from "../support/tcp-relay.ts";
import { WakeServer } from "../support/wake-server.ts";
import { AgentHome } from "./agent-process.ts";
import type { AgentProcess } from "./agent-process.ts";

const ADMIN_TOKEN = "0123456789abcdef0123456789abcdef";
/** Any poll after the first comes from the wake socket. */
const SELDOM = { POLL_INTERVAL: "3600", ADMIN_TOKEN };

let service: FakeService;
let front: WakeServer;
let home: AgentHome;
beforeEach(async () => {
  service = await FakeService.start();
  front = new WakeServer({ service });
  home = await AgentHome.make();
});
afterEach(async () => {
  await writeFile(home.path("stop"), "");
  await home.remove();
  await front.stop();
  await service.stop();
  expect(service.violations).toEqual([]);
});

const polls = () => service.callsTo("jobs").length;
const waiting = () =>
  `echo $$ > ${home.path("pid")}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;

/** Resolves once the socket is open and the poll after its opening is answered. */
async function woken(): Promise<void> {
  await eventually("the wake socket", () => front.open.size === 1);
  await eventually("the poll after it opened", () => polls() >= 2);
}

async function answerLater(when: Promise<void>, response: ServerResponse): Promise<void> {
  await when;
  send(response, { jobs: [], cancelled: [] });
}

async function adminText(agent: AgentProcess, path: string): Promise<string> {
  const response = await fetch(`${await agent.adminUrl()}${path}`, {
    headers: { Authorization: `Bearer ${ADMIN_TOKEN}` },
  });
  return await response.text();
}

const statusSchema = z.object({ data: z.object({ wake: z.string(), pollAfterSeconds: z.number().nullable() }) });

async function wholeStatusOf(agent: AgentProcess) {
  return statusSchema.parse(JSON.parse(await adminText(agent, "/v1/status"))).data;
}

async function statusOf(agent: AgentProcess): Promise<string> {
  return (await wholeStatusOf(agent)).wake;
}

test("a wake fetches a job immediately, for any POLL_INTERVAL", async () => {
  const agent = await home.start(front.url, { env: SELDOM });
  await woken();
  const { id } = service.enqueue({ params: { script: "echo now" } });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(await statusOf(agent)).toBe("connected");
  expect(front.asked).toHaveLength(1);
});

test("the first poll does not wait for the socket", async () => {
  const seen: string[] = [];
  service.beforeAnswer("jobs", () => seen.push(`poll with ${front.asked.length} asked`));
  await home.start(front.url, { env: SELDOM });
  await woken();
  expect(seen).toEqual(["poll with 0 asked"]);
});

test("any number of wakes during a poll cause one more poll", async () => {
  // As an older service does: the agent then sends heartbeats at its own interval.
  service.pollAfterSeconds = () => null;
  const agent = await home.start(front.url, { env: SELDOM });
  await woken();
  const before = polls();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  service.fault("jobs", (_request, response) => {
    void answerLater(answered, response);
  });
  front.say("poll");
  await eventually("a poll that is under way", () => polls() === before + 1);
  for (let count = 0; count < 5_000; count++) front.say("poll");
  await eventually("all of them to be heard", async () =>
    /wakes_total 5001\n/u.test(await adminText(agent, "/metrics")),
  );
  answer();
  await eventually("the one poll more", () => polls() === before + 2);
  const later = service.heartbeats.length;
  await eventually("heartbeats after it", () => service.heartbeats.length > later + 1);
  expect(polls()).toBe(before + 2);
});

test("an agent without capacity polls for a wake, gets a cancel, and fetches the next job when its job has ended", async () => {
  service.enqueue({ id: "long", params: { script: waiting() } });
  await home.start(front.url, { env: { ...SELDOM, HEARTBEAT_INTERVAL: "80", MAX_CONCURRENT_JOBS: "1" } });
  await pidIn(home.path("pid"));
  await eventually("the wake socket", () => front.open.size === 1);
  const before = polls();
  const { id } = service.enqueue({ params: { script: "echo next" } });
  await eventually("the poll", () => polls() > before);
  expect(service.leaseOf(id)).toBe("");
  service.cancel("long");
  await eventually("the end of the first job", () => service.resultsOf("long").length === 1);
  expect(service.resultsOf("long")[0]?.status).toBe("cancelled");
  await eventually("the result", () => service.resultsOf(id).length === 1);
});

test("with WAKE_SOCKET=off, or a service without a socket, jobs arrive by POLL_INTERVAL", async () => {
  const off = await home.start(front.url, { env: { WAKE_SOCKET: "off", ADMIN_TOKEN } });
  await eventually("polls", () => polls() >= 3);
  expect(front.asked).toEqual([]);
  expect(await statusOf(off)).toBe("off");
  off.kill("SIGKILL");
  await off.exited;
  front.options = { refuse: () => new Response("", { status: 404 }), forwardTo: service.url };
  const old = await home.start(front.url, { env: { ADMIN_TOKEN } });
  await eventually("the line that says so", () => old.log().includes("no wake socket: jobs are fetched"));
  const { id } = service.enqueue({ params: { script: "echo polled" } });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(await statusOf(old)).toBe("unsupported");
});

test("a new session opens a new socket, and a shutdown opens none", async () => {
  const agent = await home.start(front.url, { env: SELDOM });
  await eventually("the wake socket", () => front.open.size === 1);
  const session = front.asked[0]?.headers.get("Bellhop-Session");
  service.refuseSession("register_again");
  front.say("poll");
  await eventually("the second one", () => front.opened === 2 && front.open.size === 1);
  expect(front.asked[1]?.headers.get("Bellhop-Session")).not.toBe(session);
  agent.kill("SIGTERM");
  expect(await agent.exited).toBe(0);
  await eventually("the end of it", () => front.open.size === 0);
  expect(agent.log()).not.toMatch(/the wake socket was lost|closed the wake socket/u);
});

test("a job that arrived while the socket was lost is fetched when it reopens", async () => {
  // With `pollAfterSeconds`, the loss itself would cause a poll.
  service.pollAfterSeconds = () => null;
  const relay = await startTcpRelay(front.port);
  const agent = await home.start(`http://127.0.0.1:${relay.port}`, { env: SELDOM });
  // fetch itself repeats a poll whose answer is cut off.
  await eventually("two answered polls", async () => /polls_total 2\n/u.test(await adminText(agent, "/metrics")));
  relay.breakOff();
  const { id } = service.enqueue({ params: { script: "echo missed" } });
  await eventually("the result", () => service.resultsOf(id).length === 1);
  expect(front.opened).toBe(2);
  await relay.close();
});

test("an idle agent reports its pollAfterSeconds, and after losing the socket returns to its own intervals with a heartbeat", async () => {
  const agent = await home.start(front.url, { env: { ADMIN_TOKEN, HEARTBEAT_INTERVAL: "85" } });
  await eventually("the longer wait", async () => (await wholeStatusOf(agent)).pollAfterSeconds === 60);
  await eventually("the first heartbeat", () => service.heartbeats.length === 1);
  front.options = { refuse: () => new Response("", { status: 503 }), forwardTo: service.url };
  const before = polls();
  front.closeAll(1_012);
  await eventually("the heartbeat", () => service.heartbeats.length === 2);
  await eventually("polls at POLL_INTERVAL", () => polls() > before + 3);
  expect(await wholeStatusOf(agent)).toMatchObject({ wake: "connecting", pollAfterSeconds: null });
});
