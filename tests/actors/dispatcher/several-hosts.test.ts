import { beforeEach, describe, expect, test } from "bun:test";
import type { JobConnection } from "../../../worker/actors/dispatcher/rules/job-connection.ts";
import { viewPool } from "../../../worker/actors/dispatcher/views.ts";
import { AgentProbe, connection, order } from "../../support/dispatcher-harness.ts";
import type { DispatcherHarness } from "../../support/dispatcher-harness.ts";
import { withAgent } from "../../support/dispatcher-setups.ts";

let harness: DispatcherHarness;
let old: AgentProbe;
let fresh: AgentProbe;
beforeEach(() => {
  ({ harness, agent: old } = withAgent());
  fresh = new AgentProbe(harness, "b");
});

const several = {
  type: "http",
  config: { targets: ["web-*.example.org"], authType: "none" },
} satisfies Partial<JobConnection>;
const one = {
  type: "http",
  config: { baseUrl: "https://a.example.org", authType: "none" },
} satisfies Partial<JobConnection>;
const waiting = () => viewPool(harness.state, "web", harness.now).waiting;

describe("a job on a connection to several hosts", () => {
  test.each([
    ["an action", {}],
    ["a connection test", { kind: "connectionTest", workflowId: null }],
  ] as const)("%s waits for an agent that checks targets, and says why", async (_what, changes) => {
    harness.connections.set("con_1", connection("con_1", several));
    harness.enqueue(order("job_1", { target: "web-1.example.org", ...changes }));
    expect(await old.fetch()).toEqual([]);
    expect(waiting()).toMatchObject([{ code: "no_feature" }]);
    fresh.register({ features: ["targets"] });
    expect((await fresh.poll()).jobs).toMatchObject([
      { id: "job_1", target: "web-1.example.org", connection: { config: several.config } },
    ]);
  });

  test("is not given to an old agent when the connection gets or loses its list while the job waits", async () => {
    harness.enqueue(order("job_1"), order("job_2", { target: "web-1.example.org" }));
    harness.connections.set("con_1", connection("con_1", one));
    expect(await old.fetch()).toEqual(["job_1"]);
    harness.connections.set("con_1", connection("con_1", several));
    harness.enqueue(order("job_3"));
    expect(await old.fetch()).toEqual([]);
  });

  test("a credential for it is withdrawn from old agents as well", async () => {
    harness.connections.set("con_1", connection("con_1", several));
    harness.syncs.set("job_1", {
      params: { state: "absent", version: 1 },
      connection: { id: "con_1", ...several },
    });
    harness.enqueue(
      order("job_1", { kind: "credentialSync", pinnedAgentId: old.agentId, executionId: null, workflowId: null }),
    );
    expect(await old.fetch()).toEqual(["job_1"]);
  });
});
