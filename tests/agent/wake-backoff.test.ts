import { afterEach, beforeEach, expect, test } from "bun:test";
import { HeartbeatLoop } from "../../agent/heartbeat-loop.ts";
import { createPolling } from "../../agent/polling.ts";
import type { Polling } from "../../agent/polling.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { WakeServer } from "../support/wake-server.ts";
import { Parts } from "./parts.ts";

/** Far longer than the test: any call within it comes from an ended back-off. */
const BACKOFF = { "Retry-After": "300" };

let server: WakeServer;
let parts: Parts;
let polling: Polling;

beforeEach(async () => {
  server = new WakeServer();
  parts = await Parts.start({ pollIntervalMs: 3_600_000 });
  polling = createPolling({
    ...parts.shared,
    pollIntervalMs: 3_600_000,
    maxConcurrentJobs: 5,
    config: { apiUrl: server.url, apiKey: FAKE_AGENT_KEY, wakeSocket: true },
    heartbeat: { wake: () => undefined },
    env: {},
    random: () => 0.01,
    onHopeless: () => undefined,
  });
  polling.start();
  await eventually("the socket", () => parts.activity.wakeConnections === 1);
  await eventually("the poll that follows from it", () => polls() === 2);
});
afterEach(async () => {
  await polling.leaveAlone();
  await polling.loop.stop();
  await parts.stop();
  await server.stop();
});

const polls = () => parts.service.callsTo("jobs").length;

/** A refused poll, which starts a back-off of five minutes. */
async function outage(): Promise<void> {
  const before = failures();
  parts.service.refuseOnce("jobs", 503, "unavailable", BACKOFF);
  server.say("poll");
  await eventually("the back-off", () => failures() > before);
}
const failures = () => parts.logLines.filter((line) => line.includes('"retryInSeconds":300')).length;

test("an opened wake socket ends the poll's back-off, and jobs that waited through an outage begin immediately", async () => {
  await outage();
  const { id } = parts.service.enqueue();
  server.closeAll(1_012);
  await eventually("the job", () => parts.executor.timesBegun(id) === 1);
});

test("a poll that fails after the socket opened keeps its back-off, also on further wakes", async () => {
  await outage();
  parts.service.refuseOnce("jobs", 503, "unavailable", BACKOFF);
  const before = polls();
  server.closeAll(1_012);
  await eventually("the second failure", () => failures() === 2);
  const wakes = parts.activity.wakes;
  await eventually("the new socket", () => server.open.size === 1);
  server.say("poll");
  await eventually("the wake", () => parts.activity.wakes > wakes);
  expect(polls()).toBe(before + 1);
});

test("a wake socket that is refused for an expired session ends the back-off, and the agent registers again", async () => {
  await outage();
  const registered = parts.service.registrations.length;
  parts.service.refuseOnce("jobs", 409, "register_again");
  server.options = { refuse: () => new Response("", { status: 409 }) };
  server.closeAll(1_012);
  await eventually("the registration", () => parts.service.registrations.length > registered);
});

test("results in their back-off are sent when the wake socket reopens", async () => {
  const { id } = await owed();
  server.closeAll(1_012);
  await eventually("the result", () => parts.service.resultsOf(id).length === 1);
});

test("results in their back-off are sent when a heartbeat succeeds after a failed one", async () => {
  const { id } = await owed();
  const heartbeats = new HeartbeatLoop({
    ...parts.shared,
    heartbeatIntervalMs: 3_600_000,
    onRecovered: polling.serviceAnswers,
  });
  const { signal } = new AbortController();
  parts.service.refuseOnce("heartbeat", 503, "unavailable");
  await heartbeats.tick(signal);
  expect(parts.service.resultsOf(id)).toEqual([]);
  await heartbeats.tick(signal);
  await eventually("the result", () => parts.service.resultsOf(id).length === 1);
});

/** A job whose result was refused, which starts a back-off of five minutes. */
async function owed(): Promise<{ id: string }> {
  const { id } = parts.service.enqueue();
  server.say("poll");
  await eventually("the job", () => parts.executor.timesBegun(id) === 1);
  await eventually("the poll's end", () => polls() >= 3);
  parts.executor.end(id);
  await parts.runner.idle();
  parts.service.refuseOnce("results", 503, "unavailable", BACKOFF);
  await parts.sender.send();
  expect(parts.journal.owed()).toHaveLength(1);
  return { id };
}
