import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { AgentClient, success } from "../support/agent-client.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
  getExecution,
} from "../support/management.ts";
import { query } from "../support/database.ts";

/** Templates from a webhook to the job that an agent gets. Every test has its own pool. */
let bellhop: Bellhop;
let pools = 0;
const FREE_TEXT = `it's "down"; $(touch /tmp/executed) \`id\``;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

async function setup(type: "script" | "database") {
  const poolId = `named-${++pools}`;
  const config = type === "script" ? {} : { driver: "sqlite", database: "/srv/orders.db" };
  const connectionId = await createConnection(bellhop, { type, poolId, config });
  const join = async (registration: Record<string, unknown> = {}) => {
    const { apiKey } = await createAgent(bellhop, { poolId });
    const client = new AgentClient(bellhop, apiKey);
    await client.register(registration);
    return client;
  };
  const start = async (action: string, params: unknown, variables: unknown) => {
    const webhook = await createWebhookWorkflow(bellhop, chain([{ id: "run", action, connectionId, params }]));
    return acceptedId(await webhook.ring({ variables }));
  };
  return { join, start };
}

const nextJob = (client: AgentClient) => eventually("the job", async () => (await client.poll()).jobs[0]);
const waitingFor = (executionId: string) =>
  eventually("a reason to wait", async () => (await getExecution(bellhop, executionId)).nodeRuns[0]?.waitingFor);

describe("named values", () => {
  test("of env reach only an agent with the feature, in the job's values and not in its params", async () => {
    const { join, start } = await setup("script");
    const old = await join({ features: undefined });
    const params = { script: 'echo {{webhook.host}} "$TITLE"', env: { TITLE: "{{webhook.title}}", FIXED: "1" } };
    const executionId = await start("script.bash", params, { host: "web-1", title: FREE_TEXT });
    expect(await waitingFor(executionId)).toContain("too old for named values");
    expect((await old.poll()).jobs).toEqual([]);

    const client = await join();
    const job = await nextJob(client);
    expect(job).toMatchObject({
      params: { script: 'echo web-1 "$TITLE"' },
      values: { TITLE: FREE_TEXT, FIXED: "1" },
    });
    expect(job.params).not.toHaveProperty("env");
    expect((await old.poll()).jobs).toEqual([]);
    expect(await client.report(success(job))).toEqual(["accepted"]);
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
  });

  test("of parameters reach such an agent, too, as placeholders in the query and JSON values in the job", async () => {
    const { join, start } = await setup("database");
    const old = await join({ features: undefined });
    const params = {
      query: "select * from orders where id = :id and host = {{webhook.host}} and tries > {{webhook.tries | int}}",
      parameters: { id: "{{webhook.id}}" },
    };
    const executionId = await start("database.executeQuery", params, { id: 7, host: FREE_TEXT, tries: "3" });
    await waitingFor(executionId);
    expect((await old.poll()).jobs).toEqual([]);
    const job = await nextJob(await join());
    expect(job.params).toEqual({
      query:
        "select * from orders where id = :bellhop_parameter_id and host = :bellhop_value_1 and tries > :bellhop_value_2",
      maxRows: 1_000,
    });
    expect(job.values).toEqual({ id: "7", bellhop_value_1: JSON.stringify(FREE_TEXT), bellhop_value_2: "3" });
  });

  test("are not needed for plain words in place: an old agent gets the code with the words in it", async () => {
    const { join, start } = await setup("script");
    const old = await join({ features: undefined });
    await start(
      "script.bash",
      { script: 'restart "{{webhook.host}}" {{webhook.tries | int}}' },
      { host: "web-1", tries: "-3" },
    );
    const job = await nextJob(old);
    expect(job).toMatchObject({ params: { script: 'restart "web-1" -3' }, values: {} });
  });
});

describe("a value that must not be in place", () => {
  test("ends its node before a job exists, and the execution says what to do", async () => {
    const { join, start } = await setup("script");
    const client = await join();
    const executionId = await start(
      "script.bash",
      { script: "true\necho {{webhook.host}}" },
      { host: "web-1; reboot" },
    );
    const execution = await ended(bellhop, executionId);
    expect(execution.status).toBe("failed");
    const [run] = execution.nodeRuns;
    expect(run).toMatchObject({ nodeId: "run", status: "failed", jobId: null, error: { code: "unsafe_value" } });
    const said = run?.error?.message ?? "";
    for (const part of ["script: line 2:", "{{webhook.host}}", '";"', "character 6", "env", "| int", "| oneOf"]) {
      expect(said).toContain(part);
    }
    expect(said).not.toContain("reboot");
    expect(await query(bellhop, "select id from jobs where execution_id = ?", [executionId])).toEqual([]);
    expect((await client.poll()).jobs).toEqual([]);
  });

  test("ends its node with value_too_large when it is larger than an environment variable can be", async () => {
    const { start } = await setup("script");
    const params = { script: 'wc -c <<< "$TEXT"', env: { TEXT: "{{webhook.text}}" } };
    const { nodeRuns } = await ended(bellhop, await start("script.bash", params, { text: "x".repeat(140_000) }));
    expect(nodeRuns[0]).toMatchObject({ status: "failed", jobId: null, error: { code: "value_too_large" } });
  });
});
