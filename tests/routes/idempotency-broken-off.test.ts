import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { createIncident, getIncident } from "../support/incidents.ts";
import { DELAY_DEFINITION, createWorkflow, problemOf, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation";
const draft = (name: string) => ({ name, trigger: { type: "manual" }, definition: DELAY_DEFINITION });
const newKey = () => crypto.randomUUID();
const post = (path: string, key: string, body?: unknown) =>
  bellhop.api("POST", `${BASE}${path}`, body, { "Idempotency-Key": key });
const idOf = async (response: Response) => created.parse(await response.json()).data.id;
const countOf = async (table: string, name: string) =>
  (await query(bellhop, `select count(*) as n from ${table} where name = ?`, [name]))[0]?.["n"];

/** The row that an interrupted request leaves: its outcome is unknown. */
const breakOff = (key: string, claimedAt: number) =>
  query(bellhop, "update idempotency_keys set status = null, answer = ? where key = ?", [
    JSON.stringify({ claimedAt }),
    key,
  ]);
/** The row that is left when the service failed after it had done everything. */
const failAfterwards = (key: string) =>
  query(
    bellhop,
    "update idempotency_keys set status = 503, answer = json_object('claimedAt', created_at) where key = ?",
    [key],
  );

async function published(): Promise<string> {
  const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" } });
  await verb(bellhop, id, "publish");
  return id;
}

describe("an idempotent request", () => {
  const LONG_AGO = 120_000;

  test("that was interrupted counts as running for a minute", async () => {
    const key = newKey();
    await post("/workflows", key, draft("broken off"));
    await breakOff(key, Date.now());
    const response = await post("/workflows", key, draft("broken off"));
    expect(response.headers.get("Retry-After")).toBe("1");
    await problemOf(response, 409, "conflict");
  });

  const ENDS: [string, (key: string) => Promise<unknown>][] = [
    ["was interrupted", (key) => breakOff(key, Date.now() - LONG_AGO)],
    ["was answered 503", failAfterwards],
  ];

  test.each(ENDS)("that %s has started its execution once, and its repeat starts none", async (_title, end) => {
    const key = newKey();
    const id = await published();
    const first = executionStarted.parse(await (await post(`/workflows/${id}/execute`, key)).json());
    await end(key);
    const again = await post(`/workflows/${id}/execute`, key);
    expect(again.status).toBe(201);
    expect(executionStarted.parse(await again.json()).data.executionId).toBe(first.data.executionId);
    expect(await query(bellhop, "select id from executions where workflow_id = ?", [id])).toHaveLength(1);
  });

  test.each(ENDS)(
    "that %s creates nothing more when repeated, and the conflict names what it created",
    async (_title, end) => {
      const to = { name: `receiver, ${_title}`, type: "email", to: "ada@example.com" };
      const receiver = await idOf(await post("/notification-receivers", newKey(), to));
      for (const [path, body, table] of [
        ["/workflows", draft(`made, ${_title}`), "workflows"],
        ["/connections", { name: `made, ${_title}`, type: "script" }, "connections"],
        ["/limits", { name: `made, ${_title}`, maxRuns: 1, periodSeconds: 60, whenReached: "end" }, "limit_groups"],
        [
          "/notification-receivers",
          { name: `made, ${_title}`, type: "email", to: "ada@example.com" },
          "notification_receivers",
        ],
        [
          "/notification-rules",
          { name: `made, ${_title}`, on: "run_failed", receivers: [receiver] },
          "(select rule ->> 'name' as name from notification_rules)",
        ],
      ] as const) {
        const key = newKey();
        const id = await idOf(await post(path, key, body));
        for (let repeat = 1; repeat <= 2; repeat += 1) {
          await end(key);
          const { detail } = await problemOf(await post(path, key, body), 409, "conflict");
          expect(detail).toContain(
            `was done before with the same Idempotency-Key, though its answer was lost: see ${id}`,
          );
        }
        expect(await countOf(table, body.name)).toBe(1);
      }
    },
  );

  test.each(ENDS)(
    "that %s names the incident that it opened when repeated, with a dedupKey and without",
    async (_title, end) => {
      for (const body of [{ title: "Disk full" }, { title: "Disk full", dedupKey: newKey() }]) {
        const key = newKey();
        const id = await idOf(await post("/incidents", key, body));
        if ("dedupKey" in body) await bellhop.api("POST", `${BASE}/incidents/${id}/resolve`);
        await end(key);
        const { detail } = await problemOf(await post("/incidents", key, body), 409, "conflict");
        expect(detail).toContain(
          `was done before with the same Idempotency-Key, though its answer was lost: see ${id}`,
        );
      }
    },
  );

  test.each(ENDS)("that %s has escalated once, and its repeat does not escalate", async (_title, end) => {
    const key = newKey();
    const { id } = await createIncident(bellhop);
    expect((await post(`/incidents/${id}/escalate`, key)).status).toBe(200);
    await end(key);
    const { detail } = await problemOf(await post(`/incidents/${id}/escalate`, key), 409, "conflict");
    const { escalationLevel, events } = await getIncident(bellhop, id);
    expect(escalationLevel).toBe(1);
    expect(detail).toContain(
      `was done before with the same Idempotency-Key, though its answer was lost: see ${events[1]?.id}`,
    );
    expect((await post(`/incidents/${id}/escalate`, newKey())).status).toBe(200);
    expect(await getIncident(bellhop, id)).toMatchObject({ escalationLevel: 2 });
  });

  test("that was interrupted before it did anything is carried out by its repeat", async () => {
    const key = newKey();
    const id = await idOf(await post("/connections", key, { name: "never made", type: "script" }));
    await query(bellhop, "delete from connections where id = ?", [id]);
    await breakOff(key, Date.now() - LONG_AGO);
    const again = await post("/connections", key, { name: "never made", type: "script" });
    expect([again.status, await idOf(again)]).toEqual([201, id]);
  });

  test("that was interrupted before it could show a secret is not repeated automatically", async () => {
    const key = newKey();
    await post("/agents", key, { name: "half made" });
    await breakOff(key, Date.now() - LONG_AGO);
    const { detail } = await problemOf(await post("/agents", key, { name: "half made" }), 409, "conflict");
    expect(detail).toContain("its outcome is unknown");
    expect(await countOf("agents", "half made")).toBe(1);
  });
});

const created = z.object({ data: z.object({ id: z.string() }) });
const executionStarted = z.object({ data: z.object({ executionId: z.string() }) });
