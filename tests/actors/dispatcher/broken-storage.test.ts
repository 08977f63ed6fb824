import { expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, order, refOf } from "../../support/dispatcher-harness.ts";

/** Makes every write of these rows fail, as a full disk does. */
function breakWrites(harness: DispatcherHarness, table: "jobs" | "finished", when: "INSERT" | "UPDATE"): void {
  harness.database.run(
    `CREATE TRIGGER broken BEFORE ${when} ON ${table} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`,
  );
}

function repair(harness: DispatcherHarness): void {
  harness.database.run("DROP TRIGGER broken");
}

test("a job whose end could not be stored is not lost, and its result is accepted when it is resent", async () => {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.register();
  harness.enqueue(order("job_1"));
  const [ref] = (await agent.poll()).jobs.map(refOf);
  if (ref === undefined) throw new Error("no job was delivered");
  breakWrites(harness, "finished", "INSERT");
  expect(await agent.report(ref)).toBe("retry");
  repair(harness);
  // Rows that were written before the failure are not stored, either.
  expect(harness.state.jobs.get("job_1")?.job.stage).toMatchObject({ type: "delivered", lease: ref.lease });
  expect(await agent.report(ref)).toBe("accepted");
  expect(harness.state.jobs.get("job_1")).toBeUndefined();
});

test("a job is not delivered under a lease that could not be stored", async () => {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.register();
  harness.enqueue(order("job_1"));
  breakWrites(harness, "jobs", "UPDATE");
  await expect(agent.tryPoll()).rejects.toThrow("the disk is full");
  repair(harness);
  const [given] = (await agent.poll()).jobs;
  expect(given?.id).toBe("job_1");
  if (given !== undefined) expect(await agent.report(refOf(given))).toBe("accepted");
  expect(harness.ends).toHaveLength(1);
});

test("an agent is woken before its job is written, because the write would hold the wake back", () => {
  const harness = new DispatcherHarness();
  const agent = new AgentProbe(harness, "a");
  agent.register();
  harness.sockets.set("a", harness.now);
  breakWrites(harness, "jobs", "INSERT");
  expect(() => harness.enqueue(order("job_1"))).toThrow("the disk is full");
  expect(harness.woken).toEqual(["a"]);
});

test("a job that could not be stored is not accepted, and its caller gets the error", () => {
  const harness = new DispatcherHarness();
  harness.enqueue(order("job_0"));
  breakWrites(harness, "jobs", "INSERT");
  expect(() => harness.enqueue(order("job_1"))).toThrow("the disk is full");
  repair(harness);
  expect(harness.state.jobs.get("job_1")).toBeUndefined();
  harness.enqueue(order("job_1"));
  expect(harness.state.jobs.waiting().map(({ job }) => job.facts.jobId)).toEqual(["job_0", "job_1"]);
});
