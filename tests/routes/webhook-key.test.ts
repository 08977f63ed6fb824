import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { gateChange } from "../../worker/services/workflows/change-workflow.ts";
import type { GateTarget } from "../../worker/services/workflows/push-gate.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { objectNamed } from "../support/bellhop-object.ts";
import {
  DELAY_DEFINITION,
  call,
  createWorkflow,
  makeWebhookKey,
  problemOf,
  ring,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

/** A workflow that its webhook starts. */
async function liveWebhook() {
  const { id } = await createWorkflow(bellhop);
  const key = await makeWebhookKey(bellhop, id);
  await verb(bellhop, id, "publish");
  await verb(bellhop, id, "activate");
  expect((await ring(bellhop, key)).status).toBe(200);
  return { id, key };
}

const behind = () => query(bellhop, "select id from workflows where gate_epoch <> gate_pushed_epoch");

describe("a webhook key", () => {
  test("comes with its secret and its address, and the secret is never shown again", async () => {
    const { id, key } = await liveWebhook();
    expect(key.webhookKey).toMatch(/^wh[A-Za-z0-9]{22}$/u);
    expect(key.webhookSecret).toMatch(/^whs_[A-Za-z0-9]{43}$/u);
    expect(key.url).toBe(`${bellhop.url}/api/v1/automation/webhooks/${key.webhookKey}`);
    const [row] = await query(bellhop, "select webhook_secret_hash from workflows where id = ?", [id]);
    const hash = String(row?.["webhook_secret_hash"]);
    expect(hash).toMatch(/^\$2[aby]\$/u);
    const said = await Promise.all(
      [`/workflows/${id}`, "/workflows", `/workflows/${id}/versions`, "/executions"].map(async (path) =>
        (await call(bellhop, "GET", path)).text(),
      ),
    );
    expect(said[0]).toContain(key.webhookKey);
    said.push(JSON.stringify(await query(bellhop, "select * from audit_log")));
    const stored = JSON.stringify(await query(bellhop, "select * from workflows"));
    expect(said.filter((text) => text.includes(key.webhookSecret) || text.includes(hash))).toEqual([]);
    expect(stored).not.toContain(key.webhookSecret);
  });

  test("has the deployment's public address, if it is set", async () => {
    const elsewhere = await startBellhop({ bindings: { PUBLIC_URL: "https://bellhop.example.com/" } });
    try {
      const { id } = await createWorkflow(elsewhere);
      const { url, webhookKey } = await makeWebhookKey(elsewhere, id);
      expect(url).toBe(`https://bellhop.example.com/api/v1/automation/webhooks/${webhookKey}`);
    } finally {
      await elsewhere.stop();
    }
  });

  test.each([
    { type: "manual" },
    { type: "cron", expression: "0 9 * * 1" },
    { type: "incident", events: ["incident.created"] },
  ])("is refused with the reason for a workflow whose trigger is $type", async (trigger) => {
    const { id } = await createWorkflow(bellhop, { trigger });
    const problem = await problemOf(await call(bellhop, "POST", `/workflows/${id}/webhook-key`), 409, "conflict");
    expect(problem.detail).toContain("Change its trigger to webhook");
  });

  test("needs both flags, in any order of key, publishing and activation", async () => {
    const orders = [
      ["webhook-key", "publish", "activate"],
      ["publish", "activate", "webhook-key"],
      ["activate", "webhook-key", "publish"],
    ];
    for (const order of orders) {
      const { id } = await createWorkflow(bellhop);
      let key: Awaited<ReturnType<typeof makeWebhookKey>> | null = null;
      for (const [index, step] of order.entries()) {
        if (step === "webhook-key") key = await makeWebhookKey(bellhop, id);
        else await verb(bellhop, id, step);
        if (key === null) continue;
        expect((await ring(bellhop, key)).status).toBe(index === 2 ? 200 : 404);
      }
    }
    expect(await behind()).toEqual([]);
  });
});

describe("a revocation takes effect with the webhook's next request (invariant 8)", () => {
  test.each([
    ["deactivate", "activate"],
    ["unpublish", "publish"],
  ])("%s, and %s restores it", async (take, give) => {
    const { id, key } = await liveWebhook();
    await verb(bellhop, id, take);
    await problemOf(await ring(bellhop, key), 404, "webhook_not_found");
    await verb(bellhop, id, give);
    expect((await ring(bellhop, key)).status).toBe(200);
    expect(await behind()).toEqual([]);
  });

  test("a new key: the old address is a 404, the old secret is refused", async () => {
    const { id, key: old } = await liveWebhook();
    const fresh = await makeWebhookKey(bellhop, id);
    expect((await ring(bellhop, old)).status).toBe(404);
    expect((await ring(bellhop, { ...fresh, webhookSecret: old.webhookSecret })).status).toBe(401);
    expect((await ring(bellhop, fresh)).status).toBe(200);
    expect(await behind()).toEqual([]);
  });

  test("a deleted workflow: its address is a 404, its executions can still be read", async () => {
    const { id, key } = await liveWebhook();
    await call(bellhop, "DELETE", `/workflows/${id}`);
    expect((await ring(bellhop, key)).status).toBe(404);
    const executions = await (await call(bellhop, "GET", `/executions?workflowId=${id}`)).text();
    expect(executions).toContain(id);
  });

  test("a version with another trigger: the address waits until a webhook version is published again", async () => {
    const { id, key } = await liveWebhook();
    const replace = (trigger: object) =>
      call(bellhop, "PUT", `/workflows/${id}`, { name: "w", trigger, definition: DELAY_DEFINITION });
    await replace({ type: "manual" });
    expect((await ring(bellhop, key)).status).toBe(200);
    await verb(bellhop, id, "publish");
    expect((await ring(bellhop, key)).status).toBe(404);
    await replace({ type: "webhook" });
    await verb(bellhop, id, "publish");
    expect((await ring(bellhop, key)).status).toBe(200);
  });

  test("concurrent activations and deactivations leave gate and libSQL in agreement", async () => {
    const { id, key } = await liveWebhook();
    for (let round = 0; round < 5; round += 1) {
      const names = ["deactivate", "activate", "unpublish", "publish", "deactivate", "activate"];
      const answers = await Promise.all(names.map((name) => call(bellhop, "POST", `/workflows/${id}/${name}`)));
      expect(answers.map((answer) => answer.status).filter((status) => status !== 200 && status !== 409)).toEqual([]);
      const [row] = await query(bellhop, "select active, published_version_id as version from workflows where id = ?", [
        id,
      ]);
      const open = row?.["active"] === 1 && row["version"] !== null;
      expect((await ring(bellhop, key)).status).toBe(open ? 200 : 404);
    }
    expect(await behind()).toEqual([]);
  });
});

describe("the next tick completes a change that its writer left half-done", () => {
  test("a revocation that libSQL never received is undone in the gate", async () => {
    const { id, key } = await liveWebhook();
    // The state after a writer died between the gate and libSQL: an epoch is taken, the gate is ahead of the row.
    await query(bellhop, "update workflows set gate_epoch = gate_epoch + 1 where id = ?", [id]);
    const [row] = await query(bellhop, "select gate_epoch as epoch from workflows where id = ?", [id]);
    const gate = await objectNamed(bellhop, "GATE", key.webhookKey);
    const settings = { workflowId: id, versionId: null, active: false, secretHash: "", revoked: true };
    await gate.configure(key.webhookKey, { ...settings, epoch: Number(row?.["epoch"]) + 1 });
    expect((await ring(bellhop, key)).status).toBe(404);
    await bellhop.worker.tick();
    expect((await ring(bellhop, key)).status).toBe(200);
    expect(await behind()).toEqual([]);
  });

  test("a grant that the gate never received is sent", async () => {
    const { id, key } = await liveWebhook();
    await verb(bellhop, id, "deactivate");
    await query(bellhop, "update workflows set active = 1, gate_epoch = gate_epoch + 2 where id = ?", [id]);
    expect((await ring(bellhop, key)).status).toBe(404);
    await bellhop.worker.tick();
    expect((await ring(bellhop, key)).status).toBe(200);
  });
});

test("repeating the verb completes a half-done change immediately", async () => {
  const { id, key } = await liveWebhook();
  await verb(bellhop, id, "deactivate");
  await query(bellhop, "update workflows set active = 1, gate_epoch = gate_epoch + 2 where id = ?", [id]);
  await verb(bellhop, id, "activate");
  expect((await ring(bellhop, key)).status).toBe(200);
  expect(await behind()).toEqual([]);
});

describe("what a gate receives, and when", () => {
  const settings = { workflowId: "wf", versionId: "v1", active: true, secretHash: "h", revoked: false };
  const old = (secretHash: string) => ({ secretHash, until: 1_000 });
  const gate = (changes: Partial<GateTarget["settings"]> = {}, webhookKey = "k1"): GateTarget => ({
    webhookKey,
    settings: { ...settings, ...changes },
  });
  test.each<[string, GateTarget | null, GateTarget | null, boolean, boolean]>([
    ["nothing without a key", null, null, false, false],
    ["nothing when nothing changed", gate(), gate(), false, false],
    ["a first key after libSQL", null, gate(), false, true],
    ["a further secret after", gate(), gate({ secretHash: "i", oldSecret: [old("h")] }), false, true],
    ["a secret in place of another before", gate(), gate({ secretHash: "i" }), true, false],
    [
      "a further secret that ends an old one before",
      gate({ oldSecret: [old("g")] }),
      gate({ secretHash: "i", oldSecret: [old("h")] }),
      true,
      false,
    ],
    ["another key before and after", gate(), gate({}, "k2"), true, true],
    ["a deletion before", gate(), null, true, false],
    ["deactivation before", gate(), gate({ active: false }), true, false],
    ["another version after", gate(), gate({ versionId: "v2" }), false, true],
    ["activation after", gate({ active: false }), gate(), false, true],
  ])("%s", (_what, before, after, revokes, grants) => {
    const { revoke, grant } = gateChange(before, after);
    expect([revoke !== null, grant !== null]).toEqual([revokes, grants]);
  });
});
