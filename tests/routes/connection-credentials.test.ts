import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { connectionSchema } from "../../schema/contract/management.ts";
import type { ConnectionView } from "../../schema/contract/management.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { call, createAgent, createConnection, dataOf, pageOf, problemOf } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const CHAT = { type: "chat", config: { defaultChannel: "C024BE91L" } };
const get = async (id: string): Promise<ConnectionView> =>
  dataOf(await call(bellhop, "GET", `/connections/${id}`), 200, connectionSchema);
const patch = (id: string, body: object) => call(bellhop, "PATCH", `/connections/${id}`, body);

describe("credentials of connections", () => {
  test("a connection shows the worst status of its agents, and pending without an agent", async () => {
    const { agent: one } = await createAgent(bellhop, { poolId: "vaults" });
    const { agent: two } = await createAgent(bellhop, { poolId: "vaults" });
    const made = await createConnection(bellhop, {
      ...CHAT,
      poolId: "vaults",
    });
    const report = (agentId: string, status: string) =>
      query(
        bellhop,
        `insert or replace into credentials (connection_id, agent_id, state, version, status, updated_at)
          values (?, ?, 'present', 1, ?, 0)`,
        [made.id, agentId, status],
      );
    await report(one.id, "delivered");
    expect((await get(made.id)).credentialStatus).toBe("pending");
    await report(two.id, "delivered");
    expect((await get(made.id)).credentialStatus).toBe("delivered");
    await report(one.id, "expired");
    expect((await get(made.id)).credentialStatus).toBe("expired");
    await report(two.id, "failed");
    const list = await pageOf(await call(bellhop, "GET", "/connections?limit=1"), connectionSchema);
    expect(list.items).toMatchObject([{ id: made.id, credentialStatus: "failed" }]);
    await patch(made.id, { agentId: one.id });
    expect((await get(made.id)).credentialStatus).toBe("expired");
  });

  test("deleting a connection deletes the ciphertext and marks the credential for deletion on agents", async () => {
    const { agent } = await createAgent(bellhop);
    const made = await createConnection(bellhop, {
      ...CHAT,
      poolId: null,
      agentId: agent.id,
    });
    await query(
      bellhop,
      `insert into credentials (connection_id, agent_id, state, version, status, jwe, jwe_expires_at, updated_at)
        values (?, ?, 'present', 3, 'delivered', 'sealed', 1, 0)`,
      [made.id, agent.id],
    );
    const answer = await call(bellhop, "DELETE", `/connections/${made.id}`);
    expect(await dataOf(answer, 200, z.strictObject({ id: z.string() }))).toEqual({ id: made.id });
    const [row] = await query(bellhop, "select * from credentials where connection_id = ?", [made.id]);
    expect(row).toMatchObject({ state: "absent", version: 4, status: "pending", jwe: null, jwe_expires_at: null });
    await problemOf(await call(bellhop, "GET", `/connections/${made.id}`), 404, "not_found");
  });

  test("a teamchat URL is stored and never shown; sending its mask back keeps it", async () => {
    const canary = crypto.randomUUID();
    const webhookUrl = `https://hooks.example.com/in/${canary}?sig=${canary}`;
    const made = await createConnection(bellhop, { type: "teamchat", config: { webhookUrl } });
    expect(made.config).toEqual({ webhookUrl: "https://hooks.example.com/***" });
    expect(made.credentialStatus).toBeNull();
    const stored = async () =>
      String((await query(bellhop, "select config from connections where id = ?", [made.id]))[0]?.["config"]);
    const answers = [
      await patch(made.id, { config: made.config, name: "renamed" }),
      await call(bellhop, "GET", `/connections/${made.id}`),
      await call(bellhop, "GET", "/connections"),
      await call(bellhop, "POST", `/connections/${made.id}/disable`),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toContain(canary);
    }
    expect(await stored()).toContain(canary);
    expect(JSON.stringify(await query(bellhop, "select * from audit_log"))).not.toContain(canary);
    await patch(made.id, { config: {} });
    expect(await stored()).toBe("{}");
    expect(await get(made.id)).toMatchObject({ config: {}, credentialStatus: "pending" });
  });
});
