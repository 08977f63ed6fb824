import { describe, expect, test } from "bun:test";
import type { StreamEvent } from "../../../worker/services/executions/events-stream.ts";
import { whileAllowed } from "../../../worker/services/executions/while-allowed.ts";
import { FastClock } from "../../support/stream-clock.ts";

/** An event at every interval, without end. */
async function* every(ms: number, clock: FastClock, event: StreamEvent): AsyncGenerator<StreamEvent, void> {
  for (;;) {
    await clock.sleep(ms);
    yield event;
  }
}

async function follow(event: StreamEvent, everyMs: number, { revokedAfterMs = Infinity, expiresAfterMs = Infinity }) {
  const clock = new FastClock();
  const start = clock.now();
  let asked = 0;
  const access = {
    seenAt: start,
    endsAt: expiresAfterMs === Infinity ? null : start + expiresAfterMs,
    stillAllowed: () => {
      asked += 1;
      return Promise.resolve(clock.now() - start < revokedAfterMs);
    },
  };
  const sent: { atMs: number; event: StreamEvent }[] = [];
  for await (const one of whileAllowed(every(everyMs, clock, event), access, clock)) {
    sent.push({ atMs: clock.now() - start, event: one });
  }
  return { sent: sent.slice(0, -1), last: sent.at(-1), asked };
}

describe("a stream", () => {
  const event = { event: "execution", data: {} };

  test.each([100, 700, 4_900, 12_000])(
    "sends no event more than 5 s after a revocation, with one every %d ms",
    async (everyMs) => {
      for (const revokedAfterMs of [1, 3_000, 21_000, 60_001]) {
        const { sent, last } = await follow(event, everyMs, { revokedAfterMs });
        expect(last?.event).toMatchObject({ event: "reconnect" });
        expect(Math.max(0, ...sent.map(({ atMs }) => atMs))).toBeLessThan(revokedAfterMs + 5_000);
      }
    },
  );

  test("checks the credentials once per interval, and not for every event", async () => {
    const { sent, asked } = await follow(event, 100, { revokedAfterMs: 60_000 });
    expect(sent.length).toBeGreaterThan(500);
    expect(asked).toBeLessThan(20);
  });

  test("ends at the first heartbeat after a revocation", async () => {
    const { sent } = await follow({ heartbeat: true }, 15_000, { revokedAfterMs: 40_000 });
    expect(sent.map(({ atMs }) => atMs)).toEqual([15_000, 30_000]);
  });

  test("sends nothing after the credentials expire", async () => {
    const { sent, last } = await follow(event, 1_000, { expiresAfterMs: 3_000 });
    expect(sent.map(({ atMs }) => atMs)).toEqual([1_000, 2_000]);
    expect(last?.event).toMatchObject({ event: "reconnect" });
  });
});
