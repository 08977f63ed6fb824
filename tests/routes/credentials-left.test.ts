import { describe, expect, test } from "bun:test";
import { success } from "../support/agent-client.ts";
import { startForCredentials, newPool } from "../support/credentials.ts";
import { eventually } from "../support/eventually.ts";
import { call, createConnection } from "../support/management-api.ts";
import { acceptedId, chain, createWebhookWorkflow, getExecution } from "../support/management.ts";

const GET_LOGS = { action: "kubernetes.getLogs", params: { pod: "web-0" } };

const { bellhop, use } = await startForCredentials();

describe("jobs wait for a new delivery of an optional credential after the last agent that had it", () => {
  const LEAVING: [string, (where: { agentId: string; id: string; poolId: string }) => Promise<unknown>][] = [
    ["moves to another pool", ({ agentId }) => call(bellhop, "PATCH", `/agents/${agentId}`, { poolId: newPool() })],
    ["is deleted", ({ agentId }) => call(bellhop, "DELETE", `/agents/${agentId}`)],
    [
      "was moved after it had lost its connection",
      async ({ agentId, id, poolId }) => {
        await call(bellhop, "PATCH", `/connections/${id}`, { poolId: newPool() });
        await call(bellhop, "PATCH", `/agents/${agentId}`, { poolId: newPool() });
        await call(bellhop, "PATCH", `/connections/${id}`, { poolId });
      },
    ],
  ];

  test.each(LEAVING)("%s", async (_how, leave) => {
    const poolId = newPool();
    const holder = await use.startAgent(poolId);
    const { id } = await createConnection(bellhop, { type: "kubernetes", config: {}, poolId });
    await use.deliver(id);
    await holder.client.report(success(await use.syncOf(holder)));
    await leave({ agentId: holder.id, id, poolId });
    const other = await use.startAgent(poolId);
    expect(await use.view(id)).toMatchObject({ credentialStatus: "pending", credentials: [{ agentId: other.id }] });

    const { ring } = await createWebhookWorkflow(bellhop, chain([{ id: "get", connectionId: id, ...GET_LOGS }]));
    const executionId = await acceptedId(await ring({}));
    await eventually("the job to say what it waits for", async () => {
      expect((await other.client.poll()).jobs).toEqual([]);
      const { nodeRuns } = await getExecution(bellhop, executionId);
      return nodeRuns[0]?.waitingFor?.includes("without the connection's credential");
    });
    // A person says that the connection needs no credential.
    await call(bellhop, "DELETE", `/connections/${id}/credentials`);
    expect((await use.view(id)).credentialStatus).toBeNull();
    await eventually("the agent to get the job", async () => (await other.client.poll()).jobs.length === 1);
  });
});
