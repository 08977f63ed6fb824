import { describe, expect, test } from "bun:test";
import { order } from "../../support/dispatcher-harness.ts";
import { withAgent, withDelivered } from "../../support/dispatcher-setups.ts";

const SECOND_MS = 1_000;

describe("time limits", () => {
  test("a job that exceeds its time limit by two minutes ends as timed out, and its agent gets a cancel", async () => {
    const { harness, agent, ref } = await withDelivered();
    await agent.live(415, [ref]);
    expect(harness.ends).toEqual([]);
    await agent.live(10, [ref]);
    expect(harness.end("job_1")).toMatchObject({ status: "timed_out", lost: true, agentId: "a" });
    expect((await agent.poll([ref])).cancelled).toEqual([ref]);
  });

  test("a job whose result cannot be committed is never overdue", async () => {
    const { harness, agent, ref } = await withDelivered();
    harness.sleeps = true;
    harness.databaseDown = true;
    for (let waited = 0; waited < 3_600; waited += 30) {
      agent.heartbeat([], [ref]);
      expect(await agent.report(ref)).toBe("retry");
      await harness.advance(30 * SECOND_MS);
    }
    harness.databaseDown = false;
    expect(await agent.report(ref)).toBe("accepted");
    expect(harness.ends.map(({ report }) => report.status)).toEqual(["succeeded"]);
  });

  test("a job that no agent takes within its queue limit fails", async () => {
    const { harness } = withAgent();
    harness.enqueue(order("job_1", { queueTimeoutSeconds: 20, pinnedAgentId: "x" }));
    await harness.advance(19 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    await harness.advance(2 * SECOND_MS);
    expect(harness.end("job_1")).toMatchObject({ status: "failed", lost: false, error: { code: "queue_timeout" } });
    expect(harness.end("job_1")?.error?.message).toContain("Reason for the wait: ");
  });

  test("an end that cannot be reported is reported later, once, also after a restart", async () => {
    const { harness } = withAgent();
    harness.enqueue(order("job_1", { queueTimeoutSeconds: 20, pinnedAgentId: "x" }));
    harness.databaseDown = true;
    await harness.advance(200 * SECOND_MS);
    harness.restart();
    await harness.advance(100 * SECOND_MS);
    expect(harness.ends).toEqual([]);
    harness.databaseDown = false;
    await harness.advance(31 * SECOND_MS);
    expect(harness.ends).toHaveLength(1);
    expect(harness.state.jobs.get("job_1")).toBeUndefined();
  });
});
