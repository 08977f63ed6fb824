import { beforeEach, describe, expect, test } from "bun:test";
import { WaitingReasons } from "../../../worker/actors/dispatcher/state/waiting-reasons.ts";
import { AgentProbe, connection, order } from "../../support/dispatcher-harness.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

const NEEDS = { type: "custom", config: { fields: {} }, hasCredential: true, isDelivered: true } as const;
const bound = (target: string | null) => ({ connectionId: "con_1", target });

let harness: DispatcherHarness;
let agent: AgentProbe;
beforeEach(() => {
  ({ harness, agent } = withAgent());
  lead("here");
});

/** Changes the connection's target. Versions of older agents count from `floor` on. */
function lead(target: string, { floor = 0, id = "con_1" } = {}) {
  harness.connections.set(id, connection(id, { ...NEEDS, wanted: () => ({ target, floor }) }));
}

function waitingFor(jobId: string) {
  const live = harness.state.jobs.get(jobId);
  if (live === undefined) throw new Error(`there is no ${jobId}`);
  return new WaitingReasons(harness.state, harness.now).of(live);
}

describe("a job whose connection's target was edited", () => {
  test("is not given to the agent that has the credential for the former target", async () => {
    agent.heartbeat([bound("here")]);
    harness.enqueue(order("job_1"));
    lead("elsewhere");
    expect(await agent.fetch()).toEqual([]);
    expect(await agent.fetch()).toEqual([]);
    expect(waitingFor("job_1").code).toBe("no_credential");
  });

  test("runs when the agent reports the new target, as after a delivery or a bind", async () => {
    agent.heartbeat([bound("here")]);
    lead("elsewhere");
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    agent.heartbeat([bound("elsewhere")]);
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("runs when the edit is undone", async () => {
    agent.heartbeat([bound("here")]);
    lead("elsewhere");
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    lead("here");
    harness.dispatcher.review("con_1");
    await harness.advance(1_000);
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("goes to another agent that has the credential for the new target", async () => {
    const other = new AgentProbe(harness, "b");
    other.register();
    agent.heartbeat([bound("here")]);
    other.heartbeat([bound("elsewhere")]);
    await harness.settled();
    harness.enqueue(order("job_1"));
    lead("elsewhere");
    harness.dispatcher.review("con_1");
    await harness.advance(1_000);
    expect([await agent.fetch(), await other.fetch()]).toEqual([[], ["job_1"]]);
  });

  test("is not resent to an agent that never fetched it and can no longer use its credential", async () => {
    agent.heartbeat([bound("here")]);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual(["job_1"]);
    lead("elsewhere");
    expect(await agent.fetch()).toEqual([]);
    lead("here");
    expect(await agent.fetch()).toEqual(["job_1"]);
  });
});

describe("an older agent, which reports no target", () => {
  test("is skipped when its version was delivered before the edit, also after a restart", async () => {
    agent.heartbeat(["con_1"]);
    lead("elsewhere", { floor: 3 });
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    harness.restart();
    expect(waitingFor("job_1").code).toBe("no_credential");
    expect(await agent.fetch()).toEqual([]);
  });

  const optional = (floor: number) =>
    connection("con_1", { type: "kubernetes", config: {}, wanted: () => ({ target: "there", floor }) });

  test("gets no job of the connection at all, even if the connection works without a credential", async () => {
    harness.connections.set("con_1", optional(3));
    agent.heartbeat(["con_1"]);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    await harness.advance(4_000);
    agent.heartbeat(["con_1"]);
    expect(await agent.fetch()).toEqual([]);
    expect(waitingFor("job_1").code).toBe("no_credential");
  });

  test("gets a job of an edited connection only after it has reported its credentials", async () => {
    harness.connections.set("con_1", optional(3));
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    agent.heartbeat([]);
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("is not resent a job that it never fetched, even if the connection works without a credential", async () => {
    harness.connections.set("con_1", optional(0));
    agent.heartbeat(["con_1"]);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual(["job_1"]);
    harness.connections.set("con_1", optional(3));
    expect(await agent.fetch()).toEqual([]);
  });
});

test("a new delivery goes immediately to the agent with a credential for another target, and to others", async () => {
  const other = new AgentProbe(harness, "b");
  other.register();
  agent.heartbeat([bound("here")]);
  lead("elsewhere");
  harness.enqueue(order("job_1"));
  expect(await agent.fetch()).toEqual([]);
  for (const agentId of ["a", "b"]) {
    const jobId = `job_sync_${agentId}`;
    const params = { state: "present", version: 2, jwe: "sealed" } as const;
    harness.syncs.set(jobId, { connection: { id: "con_1", type: "custom", config: {} }, params });
    const sync = { kind: "credentialSync", action: null, pinnedAgentId: agentId } as const;
    harness.enqueue(order(jobId, { ...sync, params: { state: "present", version: 2 } }));
  }
  expect(await agent.fetch()).toEqual(["job_sync_a"]);
  expect(await other.fetch()).toEqual(["job_sync_b"]);
});

test("a credential that is bound to no target is not used", async () => {
  agent.heartbeat([bound(null)]);
  await harness.settled();
  harness.enqueue(order("job_1"));
  const { code, detail } = waitingFor("job_1");
  expect(code).toBe("no_credential");
  expect(detail).toContain("a is holding the connection's credential, which is bound to no target. Deliver");
  expect(detail).toEndWith("bind the credential on the agent's machine (bellhop-agent credentials bind con_1).");
  expect(detail).not.toContain("change the connection back");
  expect(await agent.fetch()).toEqual([]);
});

test("a script waits when the secrets that it gets are for another target", async () => {
  harness.connections.set("con_1", connection("con_1"));
  lead("there", { id: "con_custom" });
  agent.heartbeat([{ connectionId: "con_custom", target: "here" }]);
  harness.enqueue(order("job_1", { params: { script: "id", secretsFrom: "con_custom" } }));
  expect(await agent.fetch()).toEqual([]);
  expect(waitingFor("job_1")).toMatchObject({
    code: "no_secrets",
    detail: expect.stringContaining(
      "for another target. Deliver the credential of connection con_custom again, or change",
    ),
  });
  agent.heartbeat([{ connectionId: "con_custom", target: "there" }]);
  expect(await agent.fetch()).toEqual(["job_1"]);
});

test("a heartbeat that repeats an unusable credential costs no write and no query", async () => {
  lead("elsewhere");
  agent.heartbeat([bound("here")]);
  await harness.settled();
  const { written, connectionReads } = harness;
  agent.heartbeat([bound("here")]);
  await harness.settled();
  expect([harness.written, harness.connectionReads, harness.recorded.length]).toEqual([written, connectionReads, 1]);
});

test("an edit without waiting jobs is judged immediately if agents have the credential", async () => {
  agent.heartbeat([bound("here")]);
  await harness.settled();
  const reads = harness.connectionReads;
  harness.dispatcher.review("con_2");
  await harness.advance(1_000);
  expect(harness.connectionReads).toBe(reads);
  lead("elsewhere");
  harness.dispatcher.review("con_1");
  harness.dispatcher.review("con_1");
  await harness.advance(1_000);
  expect(harness.connectionReads).toBe(reads + 1);
  expect([...(harness.state.agents.get("a")?.unusable ?? [])]).toEqual(["con_1"]);
});

test("an edit during a database outage is judged when the database answers", async () => {
  agent.heartbeat([bound("here")]);
  await harness.settled();
  lead("elsewhere");
  harness.databaseDown = true;
  harness.dispatcher.review("con_1");
  await harness.advance(1_000);
  harness.databaseDown = false;
  await harness.advance(10_000);
  expect([...(harness.state.agents.get("a")?.unusable ?? [])]).toEqual(["con_1"]);
});

test("an agent is woken when its credential can be used again", async () => {
  const far = new AgentProbe(harness, "far");
  far.register();
  harness.sockets.set("far", harness.now);
  await far.heartbeat([bound("here")]);
  lead("elsewhere");
  harness.enqueue(order("job_1"));
  expect(await far.fetch()).toEqual([]);
  expect(await far.fetch()).toEqual([]);
  lead("here");
  harness.dispatcher.review("con_1");
  await harness.advance(1_000);
  expect(harness.woken.at(-1)).toBe("far");
  expect(await far.fetch()).toEqual(["job_1"]);
});
