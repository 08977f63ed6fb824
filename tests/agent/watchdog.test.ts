import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { Loop } from "../../agent/loop.ts";
import type { Wait } from "../../agent/loop.ts";
import { Pulse } from "../../agent/pulse.ts";
import { Watchdog } from "../../agent/watchdog.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock, Parts } from "./parts.ts";

const SECOND_MS = 1_000;
const LOOK_EVERY_MS = 10 * SECOND_MS;

interface Watched {
  clock: ManualClock;
  pulse: Pulse;
  watchdog: Watchdog;
  errors: string[];
  restarts: number;
  ends: number;
  rounds: number;
  running: number;
  registering: boolean;
}

function watched(): Watched {
  const clock = new ManualClock();
  const pulse = new Pulse(clock);
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warning() {}, error: (message: string) => void errors.push(message) };
  const state = { restarts: 0, ends: 0, rounds: 0, running: 0, registering: false };
  const watchdog = new Watchdog({
    pulse,
    poll: { startAgain: () => void state.restarts++ },
    runner: {
      get size() {
        return state.running;
      },
    },
    log,
    clock,
    rounds: () => state.rounds,
    mayBeSilent: () => state.registering,
    onHopeless: () => void state.ends++,
  });
  return Object.assign(state, { clock, pulse, watchdog, errors });
}

/** Ticks as the watchdog does: every ten seconds, and at the end of `afterMs`. */
function look(agent: Watched, afterMs: number): void {
  for (let left = afterMs; left > 0; left -= LOOK_EVERY_MS) {
    agent.clock.advance(Math.min(left, LOOK_EVERY_MS));
    agent.watchdog.tick();
  }
}

describe("a silent poll loop", () => {
  test("is restarted after more than a minute", () => {
    const agent = watched();
    look(agent, 60 * SECOND_MS);
    expect(agent.restarts).toBe(0);
    look(agent, 1);
    expect(agent.restarts).toBe(1);
    expect(agent.errors).toEqual([expect.stringContaining("it is restarted, and running jobs continue")]);
    expect(agent.ends).toBe(0);
  });

  test("that announced a wait is restarted a minute after the end of that wait", () => {
    const agent = watched();
    agent.pulse.beat(300 * SECOND_MS);
    look(agent, 360 * SECOND_MS);
    expect(agent.restarts).toBe(0);
    look(agent, 1);
    expect(agent.restarts).toBe(1);
  });

  test("is not restarted while the agent registers", () => {
    const agent = watched();
    agent.registering = true;
    for (let minutes = 0; minutes < 100; minutes++) look(agent, 60 * SECOND_MS);
    agent.registering = false;
    look(agent, 60 * SECOND_MS);
    expect(agent.restarts).toBe(0);
  });

  test("gets another minute after the whole process was suspended", () => {
    const agent = watched();
    agent.clock.advance(3_600 * SECOND_MS);
    agent.watchdog.tick();
    look(agent, 60 * SECOND_MS);
    expect(agent.restarts).toBe(0);
    look(agent, 1);
    expect(agent.restarts).toBe(1);
  });

  test("that is silent again after its restart ends the agent", () => {
    const agent = watched();
    look(agent, 61 * SECOND_MS);
    look(agent, 61 * SECOND_MS);
    expect({ restarts: agent.restarts, ends: agent.ends }).toEqual({ restarts: 1, ends: 1 });
    expect(agent.errors[1]).toContain("the agent ends as soon as no job runs");
  });

  test("that is silent again ends the agent after its jobs, and is logged once", () => {
    const agent = watched();
    agent.running = 2;
    for (let looks = 0; looks < 5; looks++) look(agent, 61 * SECOND_MS);
    expect({ ends: agent.ends, lines: agent.errors.length }).toEqual({ ends: 0, lines: 2 });
    agent.running = 0;
    look(agent, SECOND_MS);
    expect(agent.ends).toBe(1);
  });

  test("is restarted each time if it completed a round in between", () => {
    const agent = watched();
    for (let times = 1; times <= 3; times++) {
      look(agent, 61 * SECOND_MS);
      expect(agent.restarts).toBe(times);
      agent.rounds++;
      agent.pulse.beat();
    }
    expect(agent.ends).toBe(0);
  });

  test("is not assumed when the wall clock was set", () => {
    const agent = watched();
    agent.clock.wallMs += 3_600 * SECOND_MS;
    agent.watchdog.tick();
    expect(agent.restarts).toBe(0);
  });
});

describe("a loop", () => {
  test("that is restarted abandons a hanging tick, and can still be stopped", async () => {
    const ticks: AbortSignal[] = [];
    const tick = (signal: AbortSignal): Promise<Wait> => {
      ticks.push(signal);
      return ticks.length === 1 ? new Promise(() => undefined) : Promise.resolve({ delayMs: 600_000, firm: false });
    };
    const loop = new Loop(tick);
    loop.start();
    loop.startAgain();
    await eventually("the second tick", () => ticks.length === 2);
    expect(ticks[0]?.aborted).toBe(true);
    loop.wake();
    await eventually("the third", () => ticks.length === 3);
    await loop.stop();
    loop.startAgain();
    expect(ticks).toHaveLength(3);
  });

  test("ignores the result of an abandoned tick", async () => {
    const { promise, resolve } = Promise.withResolvers<Wait>();
    let ticks = 0;
    const loop = new Loop(() => (++ticks === 1 ? promise : Promise.resolve({ delayMs: 600_000, firm: false })));
    loop.start();
    loop.startAgain();
    await eventually("the second tick", () => ticks === 2);
    resolve({ delayMs: 600_000, firm: false });
    await promise;
    await new Promise((done) => setImmediate(done));
    expect(ticks).toBe(2);
    // The abandoned tick does not take wakes of the new one, either.
    loop.wake();
    await eventually("the third tick", () => ticks === 3);
    await loop.stop();
  });

  test("that is woken often during a tick has one more tick, and then waits", async () => {
    const { promise, resolve } = Promise.withResolvers<Wait>();
    let ticks = 0;
    const loop = new Loop(() => (++ticks === 1 ? promise : Promise.resolve({ delayMs: 600_000, firm: false })));
    loop.start();
    for (let wakes = 0; wakes < 1_000; wakes++) loop.wake();
    resolve({ delayMs: 600_000, firm: false });
    await eventually("the tick that was wanted", () => ticks === 2);
    await new Promise((done) => setImmediate(done));
    expect(ticks).toBe(2);
    await loop.stop();
  });
});

describe("the poll loop", () => {
  let agent: Parts;
  beforeEach(async () => {
    agent = await Parts.start({ callTimeoutMs: 1_000 });
  });
  afterEach(async () => {
    await agent.stop();
  });

  test("announces its next wait each round, after success and failure", async () => {
    for (const fault of [null, "lose_answer"] as const) {
      if (fault !== null) agent.service.fault("jobs", fault);
      const { delayMs } = await agent.poll();
      agent.clock.advance(delayMs);
      expect(agent.pulse.silentMs).toBe(0);
      agent.clock.advance(1_000);
      expect(agent.pulse.silentMs).toBe(1_000);
    }
  });

  test("that is woken early is watched from then on", async () => {
    const { delayMs } = await agent.poll();
    agent.pulse.beat(100 * delayMs);
    const silences: number[] = [];
    // The round's first step, on a disk that may hang.
    const recovering = spyOn(agent.journal, "recover").mockImplementation(async () => {
      agent.clock.advance(delayMs);
      silences.push(agent.pulse.silentMs);
      return true;
    });
    await agent.poll();
    recovering.mockRestore();
    expect(silences).toEqual([delayMs]);
  });

  test("abandons a call that is never answered", async () => {
    await agent.poll();
    agent.service.fault("jobs", "hang");
    const { firm } = await agent.poll();
    expect(firm).toBe(true);
    expect(agent.logLines.join("")).toContain("got no complete answer within 1 s");
  });

  test("abandons a call even if fetch ignores its signal", async () => {
    await agent.poll();
    const { fetch } = globalThis;
    // A fetch that ignores its signal.
    globalThis.fetch = Object.assign(() => new Promise<Response>(() => undefined), { preconnect: fetch.preconnect });
    try {
      expect((await agent.poll()).firm).toBe(true);
    } finally {
      globalThis.fetch = fetch;
    }
    expect(agent.logLines.join("")).toContain("got no complete answer within 1 s");
  });
});
