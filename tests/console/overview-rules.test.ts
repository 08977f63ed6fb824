import { describe, expect, jest, test } from "bun:test";
import { PacedReads } from "../../console/api/paced-reads.ts";
import { heightOf, linePath, roundMax, ticks } from "../../console/views/overview/chart-scale.ts";
import { credentialTrouble } from "../../console/views/overview/credential-trouble.ts";
import type { AgentCredential } from "../../schema/contract/credential.ts";

test("reads that follow changes come at once, and at most three in any minute", () => {
  jest.useFakeTimers();
  try {
    const startedAt = Date.now();
    const readAt: number[] = [];
    const reads = new PacedReads(() => readAt.push(Math.floor((Date.now() - startedAt) / 1_000)));
    // A change every second, for five minutes.
    for (let second = 0; second < 300; second += 1) {
      reads.request();
      jest.advanceTimersByTime(1_000);
    }
    expect(readAt.slice(0, 7)).toEqual([0, 1, 2, 60, 61, 62, 120]);
    reads.request();
    reads.stop();
    const made = readAt.length;
    jest.advanceTimersByTime(120_000);
    expect(readAt).toHaveLength(made);
  } finally {
    jest.useRealTimers();
  }
});

describe("a connection's credential", () => {
  const share = (status: AgentCredential["status"], version = 1, error: string | null = null): AgentCredential => ({
    agentId: "agt_1",
    status,
    version,
    error,
    updatedAt: null,
  });
  const of = (credentialStatus: AgentCredential["status"], credentials: AgentCredential[]) =>
    credentialTrouble({ credentialStatus, credentials });

  test.each([
    ["No agent can receive it yet.", of("pending", [])],
    ["Not delivered yet.", of("pending", [share("pending", 0), share("delivered")])],
    ["2 agents have not fetched it yet.", of("pending", [share("pending"), share("pending")])],
    ["1 agent did not fetch it in time. Deliver it again.", of("expired", [share("expired")])],
    ["The vault is read-only.", of("failed", [share("pending"), share("failed", 1, "The vault is read-only.")])],
  ])("has the problem: %s", (message, trouble) => {
    expect(trouble).toBe(message);
  });
});

describe("a chart's scale", () => {
  test.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [3, 4],
    [9, 10],
    [11, 20],
    [54, 60],
    [61, 80],
    [100, 100],
    [2_345, 4_000],
  ])("for a highest value of %d ends at %d", (highest, end) => {
    expect(roundMax(highest)).toBe(end);
  });

  test("has a middle line when half of the maximum is a whole number", () => {
    expect([ticks(60), ticks(1)]).toEqual([
      [60, 30, 0],
      [1, 0],
    ]);
    expect([heightOf(0, 60), heightOf(30, 60), heightOf(60, 60)]).toEqual([100, 50, 0]);
  });

  test("has lines with a gap for each missing value, and a dash for a value without neighbours", () => {
    expect(linePath([10, 5, null, 0], 10)).toBe("M12.5 0L37.5 50M75 100L100 100");
    expect(linePath([null, null], 10)).toBe("");
  });
});
