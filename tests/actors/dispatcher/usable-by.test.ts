import { beforeEach, describe, expect, test } from "bun:test";
import type { UsableBy } from "../../../schema/contract/usable-by.ts";
import { viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { POOL, AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";
import { OrderingRuns } from "../../support/ordering-runs.ts";

const EDITORS: UsableBy = { people: [], roles: ["editor"], workflows: [] };
let harness: DispatcherHarness;
let agent: AgentProbe;
beforeEach(() => {
  ({ harness, agent } = withAgent());
  harness.roles.set("usr_1", "editor");
});

const restrict = (usableBy: UsableBy, id = "con_1") => harness.connections.set(id, connection(id, { usableBy }));
async function refused(jobId: string): Promise<boolean> {
  await harness.settled();
  return harness.end(jobId)?.error?.code === "connection_not_usable";
}

describe("permission to use a connection is checked at every assignment", () => {
  test("a job runs while its person has the permission, and ends once the person has lost the role", async () => {
    restrict(EDITORS);
    harness.enqueue(order("job_1", { onBehalfOf: "usr_1" }));
    expect(await agent.fetch()).toEqual(["job_1"]);
    harness.roles.set("usr_1", "operator");
    harness.enqueue(order("job_2", { onBehalfOf: "usr_1" }));
    expect(await agent.fetch()).toEqual([]);
    expect(await refused("job_2")).toBe(true);
    expect(harness.end("job_2")).toMatchObject({ status: "failed", lost: false });
    expect(harness.end("job_2")?.error?.message).toContain("con_1");
  });

  test.each<[string, Parameters<typeof order>[1]]>([
    ["of a person who was disabled or deleted", { onBehalfOf: "usr_2" }],
    ["of no person", { onBehalfOf: null }],
    ["of a service that did not record its person", {}],
    [
      "of a person without permission that tests the connection",
      { kind: "connectionTest", workflowId: null, onBehalfOf: "usr_3" },
    ],
  ])("a job %s ends", async (_whose, changes) => {
    harness.roles.set("usr_3", "operator");
    restrict(EDITORS);
    harness.enqueue(order("job_1", changes));
    expect(await agent.fetch()).toEqual([]);
    expect(await refused("job_1")).toBe(true);
  });

  test("a job of a listed workflow runs for any publisher, and no role is read", async () => {
    restrict({ ...EDITORS, workflows: ["wf_1"] });
    harness.enqueue(order("job_1"), order("job_2", { workflowId: "wf_2" }));
    expect(await agent.fetch()).toEqual(["job_1"]);
    expect(await refused("job_2")).toBe(true);
    expect(harness.roleReads).toBe(0);
  });

  test("no role is read for a connection that everyone may use", async () => {
    harness.enqueue(order("job_1", { onBehalfOf: "usr_1" }));
    expect(await agent.fetch()).toEqual(["job_1"]);
    expect(harness.roleReads).toBe(0);
  });

  test("the connection in secretsFrom is checked, too", async () => {
    const secretsFrom = (id: string, onBehalfOf: string) =>
      order(id, { onBehalfOf, params: { script: "id", secretsFrom: "con_2" } });
    restrict(EDITORS, "con_2");
    await agent.heartbeat(["con_2"]);
    harness.enqueue(secretsFrom("job_1", "usr_1"), secretsFrom("job_2", "usr_2"));
    expect(await agent.fetch()).toEqual(["job_1"]);
    expect(await refused("job_2")).toBe(true);
    expect(harness.end("job_2")?.error?.message).toContain("con_2");
  });

  test("a delivered job that the agent does not have is not resent without permission", async () => {
    harness.enqueue(order("job_1", { onBehalfOf: "usr_2" }));
    expect((await agent.poll()).jobs).toHaveLength(1);
    restrict(EDITORS);
    expect((await agent.poll([])).jobs).toEqual([]);
    expect(await refused("job_1")).toBe(true);
  });

  test("a job that no agent asks for ends without permission, also after a move to another pool", async () => {
    const db = new DispatcherHarness();
    const run = new OrderingRuns(new Map(Object.entries({ [POOL]: harness, "pool:db": db })));
    const moved = { usableBy: EDITORS, target: { poolObject: "pool:db", pinnedAgentId: null } };
    harness.connections.set("con_1", connection("con_1", moved));
    for (const { connections, roles } of [db]) {
      connections.set("con_1", connection("con_1", moved));
      roles.set("usr_1", "viewer");
    }
    run.order(order("job_1", { onBehalfOf: "usr_1" }));
    await harness.advance(5_000);
    await db.advance(60_000);
    expect(db.end("job_1")).toMatchObject({ error: { code: "connection_not_usable" } });
  });
});

describe("a credential for certain workflows", () => {
  const BOUND = { features: ["boundWorkflows"] };
  const listed = (usableBy: UsableBy) => {
    const credential = { type: "custom", config: { fields: {} }, hasCredential: true, isDelivered: true } as const;
    harness.connections.set("con_1", connection("con_1", { ...credential, usableBy }));
  };
  const ONLY: UsableBy = { people: [], roles: [], workflows: ["wf_1"] };
  const why = () => viewPool(harness.state, "web", harness.now).waiting.map(({ code }) => code);

  test("is used only by agents that enforce the list, and the job has its workflow and the list", async () => {
    await agent.heartbeat(["con_1"]);
    listed(ONLY);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    expect(why()).toEqual(["no_feature"]);
    const fresh = new AgentProbe(harness, "b");
    fresh.register(BOUND);
    await fresh.heartbeat(["con_1"]);
    const { jobs } = await fresh.poll();
    expect(jobs).toMatchObject([{ id: "job_1", workflowId: "wf_1", connection: { workflows: ["wf_1"] } }]);
  });

  test("is used by any agent once people or roles are listed, too, or everyone may use it", async () => {
    await agent.heartbeat(["con_1"]);
    listed(ONLY);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual([]);
    listed({ ...EDITORS, workflows: ["wf_1"] });
    await harness.advance(60_000);
    await agent.heartbeat(["con_1"]);
    const { jobs } = await agent.poll();
    expect(jobs).toMatchObject([{ id: "job_1" }]);
    expect(jobs[0]?.connection).not.toHaveProperty("workflows");
  });

  test("is not resent to an agent that does not know such lists", async () => {
    await agent.heartbeat(["con_1"]);
    harness.enqueue(order("job_1"));
    expect((await agent.poll()).jobs).toHaveLength(1);
    listed(ONLY);
    expect((await agent.poll([])).jobs).toEqual([]);
    agent.register(BOUND);
    expect((await agent.poll([])).jobs).toHaveLength(1);
  });

  test("needs no newer agent if there is no credential to bind", async () => {
    restrict(ONLY);
    harness.enqueue(order("job_1"));
    expect(await agent.fetch()).toEqual(["job_1"]);
  });

  test("in secretsFrom needs a newer agent, too", async () => {
    await agent.heartbeat(["con_2"]);
    const held = { type: "custom", config: { fields: {} }, hasCredential: true, isDelivered: true } as const;
    harness.connections.set("con_2", connection("con_2", { ...held, usableBy: ONLY }));
    harness.enqueue(order("job_1", { params: { script: "id", secretsFrom: "con_2" } }));
    expect(await agent.fetch()).toEqual([]);
    agent.instanceId = "instance-2";
    agent.register(BOUND);
    await agent.heartbeat(["con_2"]);
    expect((await agent.poll()).jobs).toMatchObject([{ id: "job_1", secretsConnection: { workflows: ["wf_1"] } }]);
  });
});
