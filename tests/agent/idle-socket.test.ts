import { afterEach, beforeEach, expect, test } from "bun:test";
import { HeartbeatLoop } from "../../agent/heartbeat-loop.ts";
import { Loop } from "../../agent/loop.ts";
import { createPolling } from "../../agent/polling.ts";
import type { Polling } from "../../agent/polling.ts";
import { eventually } from "../support/eventually.ts";
import { send } from "../support/fake-service-http.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { WakeServer } from "../support/wake-server.ts";
import { Parts } from "./parts.ts";

/** Far longer than a test: any call within it was caused by the socket. */
const HOUR_MS = 3_600_000;
const POLL_AFTER_SECONDS = 600;
const refused = { refuse: () => new Response("", { status: 500 }) };

let server: WakeServer;
let parts: Parts;
let heartbeat: Loop;
let polling: Polling;

beforeEach(async () => {
  server = new WakeServer();
  parts = await Parts.start();
  parts.service.pollAfterSeconds = () => (server.open.size > 0 ? POLL_AFTER_SECONDS : null);
  heartbeat = new Loop(new HeartbeatLoop({ ...parts.shared, heartbeatIntervalMs: HOUR_MS }).tick);
  polling = createPolling({
    ...parts.shared,
    pollIntervalMs: HOUR_MS,
    maxConcurrentJobs: 5,
    config: { apiUrl: server.url, apiKey: FAKE_AGENT_KEY, wakeSocket: true },
    heartbeat,
    env: {},
    random: () => 0.01,
    onHopeless: () => undefined,
  });
});
afterEach(async () => {
  await polling.leaveAlone();
  await polling.loop.stop();
  await heartbeat.stop();
  await parts.stop();
  await server.stop();
});

const polls = () => parts.activity.polls;
const heartbeats = () => parts.activity.heartbeats;

/**
 * Resolves once the socket is open and the calls after its opening are answered: a poll, and with pollAfterSeconds a
 * heartbeat.
 */
async function idle(heartbeatsBefore = 2): Promise<void> {
  polling.start();
  heartbeat.start();
  await eventually("the socket", () => parts.activity.wakeConnections === 1);
  await eventually("the first calls", () => polls() === 2 && heartbeats() === heartbeatsBefore);
}

async function lost(): Promise<void> {
  server.options = refused;
  server.closeAll(1_012);
  await eventually("the end of the socket", () => parts.activity.wake === "connecting");
}

test("a socket that is lost and does not reopen leads to a poll and a heartbeat", async () => {
  await idle();
  expect(parts.activity.pollAfterSeconds).toBe(POLL_AFTER_SECONDS);
  await lost();
  await eventually("both calls", () => polls() === 3 && heartbeats() === 3);
  expect(parts.activity.pollAfterSeconds).toBeNull();
});

test("a lost socket that soon reopens leads to one poll and one heartbeat", async () => {
  await idle();
  server.closeAll(1_012);
  await eventually("the next socket", () => parts.activity.wakeConnections === 2);
  await eventually("the calls", () => heartbeats() === 3 && polls() === 3);
  server.say("poll");
  await eventually("the wake", () => parts.activity.wakes === 1 && polls() === 4);
  expect(heartbeats()).toBe(3);
});

test("without pollAfterSeconds, a lost socket leads to no call", async () => {
  parts.service.pollAfterSeconds = () => null;
  await idle(1);
  await lost();
  server.options = {};
  await eventually("the poll after the next opening", () => polls() === 3);
  expect({ opened: parts.activity.wakeConnections, heartbeats: heartbeats() }).toEqual({ opened: 2, heartbeats: 1 });
});

test("a poll's answer that arrives after the loss of the socket does not slow the agent down", async () => {
  await idle();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  parts.service.fault("jobs", async (_request, response) => {
    await answered;
    send(response, { jobs: [], cancelled: [], pollAfterSeconds: POLL_AFTER_SECONDS });
  });
  server.say("poll");
  await eventually("the poll", () => parts.service.callsTo("jobs").length === 3);
  await lost();
  answer();
  await eventually("the poll after it", () => polls() === 4);
  expect(parts.activity.pollAfterSeconds).toBeNull();
});

test("a wake leads to an immediate poll, and to no heartbeat", async () => {
  await idle();
  server.say("poll");
  await eventually("the poll", () => polls() === 3);
  expect(heartbeats()).toBe(2);
});

test("a wake during a poll leads to another poll right after it", async () => {
  await idle();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  parts.service.fault("jobs", async (_request, response) => {
    await answered;
    send(response, { jobs: [], cancelled: [], pollAfterSeconds: POLL_AFTER_SECONDS });
  });
  server.say("poll");
  await eventually("the poll", () => parts.service.callsTo("jobs").length === 3);
  server.say("poll");
  await eventually("the second wake", () => parts.activity.wakes === 2);
  answer();
  await eventually("the poll after it", () => polls() === 4);
});

test("the end of the last lease is reported immediately, and the end of any job leads to a poll", async () => {
  await idle();
  const { id } = parts.service.enqueue();
  server.say("poll");
  await eventually("the job", () => parts.executor.timesBegun(id) === 1);
  heartbeat.wake();
  await eventually("the heartbeat with its lease", () => heartbeats() === 3);
  parts.executor.end(id);
  await parts.runner.idle();
  await parts.sender.send();
  const before = polls();
  polling.jobEnded();
  await eventually("both calls", () => polls() === before + 1 && heartbeats() === 4);
  expect(parts.service.heartbeats.at(-1)).toMatchObject({ held: [], load: 0 });
});

test("an agent that shuts down does not treat the closing of its socket as a loss", async () => {
  await idle();
  await polling.leaveAlone();
  expect(parts.activity.pollAfterSeconds).toBeNull();
  await polling.loop.stop();
  await heartbeat.stop();
  expect({ polls: polls(), heartbeats: heartbeats() }).toEqual({ polls: 2, heartbeats: 2 });
});
