import { beforeEach, describe, expect, test } from "bun:test";
import { AgentProbe, DispatcherHarness, connection, order } from "../../support/dispatcher-harness.ts";

describe("a job whose script gets the secrets of a custom connection", () => {
  let harness: DispatcherHarness;
  let first: AgentProbe;
  let second: AgentProbe;
  beforeEach(() => {
    harness = new DispatcherHarness();
    harness.connections.set("con_custom", connection("con_custom", { type: "custom", config: { fields: {} } }));
    first = new AgentProbe(harness, "a");
    second = new AgentProbe(harness, "b");
    for (const agent of [first, second]) agent.register();
    harness.enqueue(order("job_1", { params: { script: "id", secretsFrom: "con_custom" } }));
  });

  test("goes to an agent that has the secrets, and waits while there is no such agent", async () => {
    for (const agent of [first, second]) agent.heartbeat();
    expect(await first.fetch()).toEqual([]);
    expect(await second.fetch()).toEqual([]);
    second.heartbeat(["con_custom"]);
    expect(await first.fetch()).toEqual([]);
    expect(await second.fetch()).toEqual(["job_1"]);
  });

  test("has that connection's configuration for the agent to compare, and other jobs have none", async () => {
    harness.enqueue(order("job_2"));
    second.heartbeat(["con_custom"]);
    const jobs = [...(await first.poll()).jobs, ...(await second.poll()).jobs];
    expect(new Map(jobs.map(({ id, secretsConnection }) => [id, secretsConnection]))).toEqual(
      new Map([
        ["job_1", { id: "con_custom", type: "custom", config: { fields: {} } }],
        ["job_2", undefined],
      ]),
    );
  });

  test("ends when that connection's target has changed since the execution was approved", async () => {
    const params = { script: "id", secretsFrom: "con_custom" };
    const approvedTargets = { con_1: "here", con_custom: "here" };
    harness.enqueue(order("job_2", { params, approvedTargets }), order("job_3", { params, approvedTargets }));
    harness.connections.set("con_custom", connection("con_custom", { type: "custom", approvedTarget: () => "there" }));
    harness.restart();
    first.heartbeat(["con_custom"]);
    expect(await first.fetch()).toEqual(["job_1"]);
    await harness.settled();
    for (const id of ["job_2", "job_3"]) {
      expect(harness.end(id)).toMatchObject({ error: { code: "approval_outdated" } });
    }
  });

  test("goes to an agent that has the secrets after a restart of the dispatcher", async () => {
    first.heartbeat(["con_custom"]);
    harness.restart();
    second.heartbeat();
    expect(await second.fetch()).toEqual([]);
    first.heartbeat(["con_custom"]);
    expect(await first.fetch()).toEqual(["job_1"]);
  });

  test.each([
    ["disabled", () => harness.connections.set("con_custom", connection("con_custom", { enabled: false }))],
    ["deleted", () => harness.connections.delete("con_custom")],
  ] as const)("ends when that connection was %s while it waited", async (_what, change) => {
    change();
    first.heartbeat(["con_custom"]);
    expect(await first.fetch()).toEqual([]);
    await harness.settled();
    expect(harness.end("job_1")).toMatchObject({ status: "failed", error: { code: "secrets_unavailable" } });
  });

  test("ends also when no agent could take it", async () => {
    harness.connections.delete("con_custom");
    await harness.advance(60_000);
    expect(harness.end("job_1")).toMatchObject({ error: { code: "secrets_unavailable" } });
  });
});
