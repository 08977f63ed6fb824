import { describe, expect, test } from "bun:test";
import { NEVER_SEEN, agentStatus, heartbeatAgeMs, isDegraded } from "../../../worker/actors/dispatcher/rules/health.ts";

const SECOND_MS = 1_000;
const T0 = Date.UTC(2026, 0, 5, 12);

describe("an agent's status", () => {
  test.each([
    [0, false, "Online"],
    [89_999, false, "Online"],
    [90_000, false, "Offline"],
    [0, true, "Degraded"],
    [90_000, true, "Offline"],
    [null, false, "Offline"],
  ] as const)("with a heartbeat %p ms old and degraded %p is %p", (age, degraded, expected) => {
    expect(agentStatus(age, degraded)).toBe(expected);
  });

  test("is Offline after a goodbye, even with a fresh heartbeat", () => {
    expect(heartbeatAgeMs({ ...NEVER_SEEN, lastHeartbeatAt: T0, offline: true }, null, T0)).toBeNull();
  });

  test("does not count the service's own absence as the agent's silence", () => {
    const presence = { ...NEVER_SEEN, lastHeartbeatAt: T0, lastSeenAt: T0 };
    const back = T0 + 600 * SECOND_MS;
    expect(heartbeatAgeMs(presence, back, back + 5 * SECOND_MS)).toBe(5 * SECOND_MS);
  });

  test("uses a heartbeat age of 0 after the clock was set back", () => {
    expect(heartbeatAgeMs({ ...NEVER_SEEN, lastHeartbeatAt: T0 }, null, T0 - 5 * SECOND_MS)).toBe(0);
  });
});

describe("Degraded", () => {
  test.each([
    [4, 0, false],
    [5, 0, true],
    [5, 2, true],
    [6, 3, false],
    [100, 49, true],
    [100, 50, false],
  ])("is entered under half of five or more: of %p finished %p succeeded: %p", (finished, succeeded, expected) => {
    expect(isDegraded(false, { finished, succeeded })).toBe(expected);
  });

  test.each([
    [10, 5, true],
    [100, 79, true],
    [100, 80, false],
    [1, 0, true],
    [0, 0, false],
  ])(
    "is left at 80 %% or with an empty hour: of %p finished %p succeeded: still %p",
    (finished, succeeded, expected) => {
      expect(isDegraded(true, { finished, succeeded })).toBe(expected);
    },
  );
});
