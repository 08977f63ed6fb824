import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { startWake } from "./wake-parts.ts";

/** Simulates a restart of the service, when all agents lose their sockets together. */
async function lose(pollIntervalMs: number) {
  const { server, parts } = startWake({ holds: true, pollIntervalMs });
  parts.socket.polled();
  await eventually("the socket", () => parts.activity.wakeConnections === 1);
  parts.activity.pollAfterSeconds = 60;
  server.closeAll(1_012);
  await eventually("the waits", () => parts.waits.length === 2);
  return parts;
}

test.each([
  { pollIntervalMs: 600_000, call: 3_000, reopening: 2_000 },
  { pollIntervalMs: 2_000, call: 1_200, reopening: 800 },
])("the reopening and the calls without a socket are spread over at most POLL_INTERVAL and 5 s: %o", async (row) => {
  const parts = await lose(row.pollIntervalMs);
  expect(parts.losses).toBe(0);
  expect(parts.waits).toEqual([row.call, row.reopening]);
});

test("a socket that reopens in time causes the only poll", async () => {
  const parts = await lose(600_000);
  parts.goOn();
  await eventually("the second opening", () => parts.activity.wakeConnections === 2);
  parts.endings[0]?.();
  await Promise.resolve();
  expect({ wakes: parts.wakes, losses: parts.losses }).toEqual({ wakes: 2, losses: 0 });
});

test("an agent whose socket does not reopen in time polls", async () => {
  const parts = await lose(600_000);
  parts.endings[0]?.();
  await eventually("the calls", () => parts.losses === 1);
});
