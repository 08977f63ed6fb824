import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { HeartbeatLoop } from "../../agent/heartbeat-loop.ts";
import { Parts } from "./parts.ts";
import type { PartsOptions } from "./parts.ts";

const SECOND_MS = 1_000;
const TEN_MINUTES_MS = 600 * SECOND_MS;

let agent: Parts;
let heartbeats: HeartbeatLoop;

beforeEach(() => start());
afterEach(() => agent.stop());

async function start(options: PartsOptions = {}): Promise<void> {
  agent = await Parts.start({ random: () => 0, ...options });
  heartbeats = new HeartbeatLoop({ ...agent.shared, heartbeatIntervalMs: 30 * SECOND_MS });
  agent.activity.wake = "connected";
  agent.service.pollAfterSeconds = () => 60;
}

async function startAgain(options: PartsOptions): Promise<void> {
  await agent.stop();
  await start(options);
}

const heartbeat = () => heartbeats.tick(new AbortController().signal);

/** Runs both loops for `ms` of the test's clock, and returns how many calls they made. */
async function callsWithin(ms: number): Promise<{ polls: number; heartbeats: number }> {
  const { clock, service } = agent;
  const before = { polls: service.callsTo("jobs").length, heartbeats: service.heartbeats.length };
  const end = clock.monoMs + ms;
  const due = { poll: clock.monoMs, heartbeat: clock.monoMs };
  for (;;) {
    const next = Math.min(due.poll, due.heartbeat);
    clock.advance(Math.min(next, end) - clock.monoMs);
    if (next >= end) break;
    if (next === due.poll) due.poll += (await agent.poll()).delayMs;
    else due.heartbeat += (await heartbeat()).delayMs;
  }
  return {
    polls: service.callsTo("jobs").length - before.polls,
    heartbeats: service.heartbeats.length - before.heartbeats,
  };
}

describe("an idle agent with an open wake socket", () => {
  test("polls after pollAfterSeconds, and sends one heartbeat only", async () => {
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual({ polls: 10, heartbeats: 1 });
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual({ polls: 10, heartbeats: 0 });
    expect(agent.service.registrations).toHaveLength(1);
  });

  test("makes at most 1,700 requests a day", async () => {
    // The mean of the random spread of polls.
    await startAgain({ random: () => 0.5 });
    const day = await callsWithin(24 * 3_600 * SECOND_MS);
    expect(day).toEqual({ polls: 1_516, heartbeats: 1 });
  });

  test("keeps a longer POLL_INTERVAL", async () => {
    await startAgain({ pollIntervalMs: 300 * SECOND_MS });
    expect((await callsWithin(TEN_MINUTES_MS)).polls).toBe(2);
  });

  test("satisfies the watchdog for the whole wait", async () => {
    const { delayMs } = await agent.poll();
    agent.clock.advance(delayMs);
    expect({ delayMs, silentMs: agent.pulse.silentMs }).toEqual({ delayMs: 60 * SECOND_MS, silentMs: 0 });
  });

  test("returns to POLL_INTERVAL and HEARTBEAT_INTERVAL when the socket is lost", async () => {
    await callsWithin(TEN_MINUTES_MS);
    Object.assign(agent.activity, { wake: "connecting", pollAfterSeconds: null });
    // The service may not know yet that the socket is lost.
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual({ polls: 120, heartbeats: 20 });
    agent.activity.wake = "connected";
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual({ polls: 10, heartbeats: 0 });
  });

  test("returns to both intervals when answers no longer carry pollAfterSeconds", async () => {
    await callsWithin(TEN_MINUTES_MS);
    agent.service.pollAfterSeconds = () => null;
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual({ polls: 120, heartbeats: 20 });
  });

  test("polls at POLL_INTERVAL while its disk prevents new jobs", async () => {
    Object.defineProperty(agent.journal, "takesNewJobs", { value: false });
    expect((await callsWithin(TEN_MINUTES_MS)).polls).toBe(120);
  });

  test("polls at POLL_INTERVAL after it left a job with the service", async () => {
    agent.service.enqueue({ startWithinSeconds: 60 });
    agent.service.beforeAnswer("jobs", () => agent.clock.advance(61 * SECOND_MS));
    expect((await agent.poll()).delayMs).toBe(5 * SECOND_MS);
  });
});

describe("an agent uses its own intervals", () => {
  const today = { polls: 120, heartbeats: 20 };

  test("with a service that does not send pollAfterSeconds", async () => {
    agent.service.pollAfterSeconds = () => null;
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual(today);
  });

  test.each(["off", "connecting", "unsupported"] as const)("without a wake socket (%s)", async (wake) => {
    agent.activity.wake = wake;
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual(today);
  });

  test.each([0, -1, 1.5, 601, 1e9])("with a pollAfterSeconds out of bounds (%d)", async (seconds) => {
    agent.service.pollAfterSeconds = () => seconds;
    expect(await callsWithin(TEN_MINUTES_MS)).toEqual(today);
  });
});

describe("the heartbeats of an idle agent", () => {
  /** The number of heartbeats in the next three rounds of the loop. */
  async function sentInThreeRounds(): Promise<number> {
    const before = agent.service.heartbeats.length;
    for (let rounds = 0; rounds < 3; rounds++) await heartbeat();
    return agent.service.heartbeats.length - before;
  }

  beforeEach(async () => {
    await callsWithin(TEN_MINUTES_MS);
    expect(await sentInThreeRounds()).toBe(0);
  });

  test("go on while it holds a lease, and one reports the end of the last lease", async () => {
    const { id } = agent.service.enqueue();
    await agent.poll();
    expect((await callsWithin(TEN_MINUTES_MS)).heartbeats).toBe(20);
    agent.executor.end(id);
    await agent.runner.idle();
    // The lease is held until the service has its result.
    expect(await sentInThreeRounds()).toBe(3);
    await agent.poll();
    expect(await sentInThreeRounds()).toBe(1);
    expect(agent.service.heartbeats.at(-1)).toMatchObject({ held: [], load: 0 });
  });

  test("report a changed credential once", async () => {
    await agent.vault.put("con_1", { secrets: { password: "new" } });
    expect(await sentInThreeRounds()).toBe(1);
    expect(agent.service.heartbeats.at(-1)?.credentials).toMatchObject([{ connectionId: "con_1" }]);
  });

  test("report a shutdown once", async () => {
    heartbeats.drain();
    expect(await sentInThreeRounds()).toBe(1);
    expect(agent.service.heartbeats.at(-1)?.draining).toBe(true);
  });

  test("report everything once in a new session", async () => {
    agent.service.refuseSession("register_again");
    await agent.poll();
    expect(await sentInThreeRounds()).toBe(1);
  });

  test("repeat a report that was lost", async () => {
    await agent.vault.put("con_1", { secrets: { password: "new" } });
    agent.service.refuseOnce("heartbeat", 503, "unavailable");
    expect(await sentInThreeRounds()).toBe(1);
    expect(agent.service.heartbeats.at(-1)?.credentials).toHaveLength(1);
  });
});
