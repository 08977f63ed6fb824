import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { userSchema } from "../../schema/contract/people.ts";
import { IDEMPOTENCY_KEY_KEEP_MS } from "../../schema/limits.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { operations } from "../support/described.ts";
import {
  DELAY_DEFINITION,
  createAgent,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  makeWebhookKey,
  problemOf,
  verb,
} from "../support/management-api.ts";
import { PASSWORD, createToken, createUser, signedIn } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation";
const draft = (name: string) => ({ name, trigger: { type: "manual" }, definition: DELAY_DEFINITION });
const newKey = () => crypto.randomUUID();
const post = (path: string, key: string, body?: unknown, headers: Record<string, string> = {}) =>
  bellhop.api("POST", `${BASE}${path}`, body, { "Idempotency-Key": key, ...headers });
const idOf = async (response: Response) => created.parse(await response.json()).data.id;
const countOf = async (table: string, name: string) =>
  (await query(bellhop, `select count(*) as n from ${table} where name = ?`, [name]))[0]?.["n"];

async function published(): Promise<string> {
  const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" } });
  await verb(bellhop, id, "publish");
  return id;
}

describe("the same key with the same request", () => {
  test("creates once, and repeats get the first response", async () => {
    const key = newKey();
    const first = await post("/workflows", key, draft("once"));
    expect([first.status, first.headers.get("Idempotent-Replayed")]).toEqual([201, null]);
    const again = await post("/workflows", key, draft("once"));
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    expect(again.headers.get("Cache-Control")).toBe("no-store");
    expect(await again.text()).toBe(await first.text());
    expect(await countOf("workflows", "once")).toBe(1);
  });

  test("works as X-Idempotency-Key, too; Idempotency-Key takes precedence", async () => {
    const key = newKey();
    const x = (value: string, own: Record<string, string> = {}) =>
      bellhop.api("POST", `${BASE}/workflows`, draft("either"), { "X-Idempotency-Key": value, ...own });
    const id = await idOf(await x(key));
    expect(await idOf(await x(key))).toBe(id);
    expect(await idOf(await x(newKey(), { "Idempotency-Key": key }))).toBe(id);
  });

  test("at the same moment is carried out once: the others wait or get its response", async () => {
    const key = newKey();
    const id = await published();
    const responses = await Promise.all(Array.from({ length: 8 }, () => post(`/workflows/${id}/execute`, key, {})));
    const done = responses.filter(({ status }) => status === 201);
    for (const response of responses.filter((response) => !done.includes(response))) {
      expect(response.headers.get("Retry-After")).toBe("1");
      await problemOf(response, 409, "conflict");
    }
    expect(done.filter(({ headers }) => headers.get("Idempotent-Replayed") === null)).toHaveLength(1);
    expect(await query(bellhop, "select id from executions where workflow_id = ?", [id])).toHaveLength(1);
  });

  test("creates again a day later, and the tick deletes the old key", async () => {
    const key = newKey();
    const swept = newKey();
    const first = await idOf(await post("/connections", key, { name: "daily", type: "script" }));
    await post("/connections", swept, { name: "swept", type: "script" });
    await query(bellhop, "update idempotency_keys set created_at = created_at - ?", [IDEMPOTENCY_KEY_KEEP_MS + 1]);
    expect(await idOf(await post("/connections", key, { name: "daily", type: "script" }))).not.toBe(first);
    await bellhop.worker.tick();
    const keys = await query(bellhop, "select key from idempotency_keys where key in (?, ?)", [key, swept]);
    expect(keys.map((row) => row["key"])).toEqual([key]);
  });
});

describe("a key belongs to one request of one caller", () => {
  test("with another body, path or operation is a conflict and does nothing", async () => {
    const key = newKey();
    const a = await published();
    const b = await published();
    await post(`/workflows/${a}/execute`, key, { variables: { n: 1 } });
    const others = [
      post(`/workflows/${a}/execute`, key, { variables: { n: 2 } }),
      post(`/workflows/${b}/execute`, key, { variables: { n: 1 } }),
      post("/workflows", key, draft("not made")),
    ];
    for (const other of others) {
      const { detail } = await problemOf(await other, 409, "conflict");
      expect(detail).toContain("used for another request");
    }
    expect(await countOf("workflows", "not made")).toBe(0);
    expect(await query(bellhop, "select id from executions where workflow_id = ?", [b])).toEqual([]);
  });

  test("can be used by two callers", async () => {
    const browser = await signedIn(bellhop, await createUser(bellhop));
    const { secret } = await createToken(browser, { permissions: ["automation:read", "automation:write"] });
    const key = newKey();
    const first = await idOf(await post("/workflows", key, draft("mine")));
    const theirs = await post("/workflows", key, draft("mine"), { Authorization: `Bearer ${secret}` });
    expect(await idOf(theirs)).not.toBe(first);
  });

  test("is separate for two tokens of one name, and shared by all sessions of a person", async () => {
    const user = await createUser(bellhop);
    const browser = await signedIn(bellhop, user);
    const permissions = ["automation:read", "automation:write"] as const;
    const [one, other] = [await createToken(browser, { permissions }), await createToken(browser, { permissions })];
    const key = newKey();
    const by = (secret: string) => post("/workflows", key, draft("same"), { Authorization: `Bearer ${secret}` });
    const first = await idOf(await by(one.secret));
    expect(await idOf(await by(one.secret))).toBe(first);
    expect(await idOf(await by(other.secret))).not.toBe(first);
    const again = await signedIn(bellhop, user);
    const asPerson = (from: typeof browser) =>
      from.call("POST", `${BASE}/workflows`, draft("same"), { "Idempotency-Key": key });
    const mine = await idOf(await asPerson(browser));
    expect(mine).not.toBe(first);
    expect(await idOf(await asPerson(again))).toBe(mine);
  });

  test("treats no body and an empty object as the same request", async () => {
    const key = newKey();
    const id = await published();
    const first = await post(`/workflows/${id}/execute`, key);
    const again = await post(`/workflows/${id}/execute`, key, {});
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
    expect(await again.text()).toBe(await first.text());
  });

  test("has 1 to 255 visible ASCII characters", async () => {
    for (const key of ["x".repeat(256), "two words", "ключ"]) {
      const headers = new Headers({
        Authorization: `Bearer ${bellhop.adminToken}`,
        "Content-Type": "application/json",
      });
      headers.set("Idempotency-Key", Buffer.from(key).toString("latin1"));
      const response = await fetch(`${bellhop.url}${BASE}/workflows`, { method: "POST", headers, body: "{}" });
      expect(await errorPathsOf(response)).toEqual(["Idempotency-Key"]);
    }
    expect((await post("/workflows", `"${"x".repeat(253)}"`, draft("longest"))).status).toBe(201);
  });
});

describe("a refused request frees its key", () => {
  test("after a 400, for the corrected request", async () => {
    const key = newKey();
    expect(await errorPathsOf(await post("/connections", key, { name: "x" }))).toEqual(["type"]);
    expect((await post("/connections", key, { name: "x", type: "script" })).status).toBe(201);
  });

  test("after a 409, for the same request once it can be done", async () => {
    const key = newKey();
    const { id } = await createWorkflow(bellhop, { trigger: { type: "manual" } });
    await problemOf(await post(`/workflows/${id}/execute`, key), 409, "conflict");
    await verb(bellhop, id, "publish");
    expect((await post(`/workflows/${id}/execute`, key)).status).toBe(201);
  });

  test("after a 401, 403 or 413, which never took the key", async () => {
    const key = newKey();
    await problemOf(await post("/workflows", key, draft("x"), { Authorization: "Bearer wrong" }), 401, "unauthorized");
    const large = { name: "x".repeat(5 * 1_024 * 1_024) };
    await problemOf(await post("/workflows", key, large), 413, "payload_too_large");
    expect(await query(bellhop, "select key from idempotency_keys where key = ?", [key])).toEqual([]);
    expect((await post("/workflows", key, draft("x"))).status).toBe(201);
  });

  test("after a 503 of an unavailable database", async () => {
    const key = newKey();
    await bellhop.stopLibsql();
    try {
      await problemOf(await post("/workflows", key, draft("away")), 503, "unavailable");
    } finally {
      await bellhop.startLibsql();
    }
    expect((await post("/workflows", key, draft("away"))).status).toBe(201);
    expect(await countOf("workflows", "away")).toBe(1);
  });
});

describe("a response with a secret", () => {
  const secrets: [string, () => Promise<[path: string, body?: object]>, RegExp][] = [
    ["a new agent's key", async () => ["/agents", { name: "secretive" }], /regenerate its key/u],
    [
      "a regenerated key",
      async () => [`/agents/${(await createAgent(bellhop)).agent.id}/regenerate-key`],
      /again with a new Idempotency-Key/u,
    ],
    [
      "a webhook's secret",
      async () => [`/workflows/${(await createWorkflow(bellhop)).id}/webhook-key`],
      /create another key/u,
    ],
    [
      "an integration's key",
      async () => ["/integrations", { name: "secretive", kind: "alertmanager" }],
      /create another/u,
    ],
  ];

  test.each(secrets)("is shown once: %s", async (_title, request, advice) => {
    const key = newKey();
    const [path, body] = await request();
    const first = await post(path, key, body);
    expect(first.status).toBe(201);
    const again = await post(path, key, body);
    const { detail } = await problemOf(again, 409, "conflict");
    expect(detail).toMatch(/^This was done before/u);
    expect(detail).toMatch(advice);
    const [row] = await query(bellhop, "select status, answer from idempotency_keys where key = ?", [key]);
    expect([row?.["status"], row?.["answer"]]).toEqual([201, null]);
  });

  test("is replaced only under a new key", async () => {
    const { id } = await createWorkflow(bellhop);
    const before = await makeWebhookKey(bellhop, id);
    const key = newKey();
    const first = webhookKey.parse(await (await post(`/workflows/${id}/webhook-key`, key)).json()).data.webhookKey;
    expect(first).not.toBe(before.webhookKey);
    await post(`/workflows/${id}/webhook-key`, key);
    const [row] = await query(bellhop, "select webhook_key from workflows where id = ?", [id]);
    expect(row?.["webhook_key"]).toBe(first);
  });
});

test("every operation with a key is a POST of an authenticated caller, and a lost secret can be replaced", () => {
  const keyed = operations.filter(({ idempotent }) => idempotent !== undefined);
  expect(keyed.length).toBeGreaterThan(5);
  for (const { id, method, access, idempotent, lostSecret } of keyed) {
    expect([id, method]).toEqual([id, "POST"]);
    expect([id, access]).not.toEqual([id, "public"]);
    expect([id, lostSecret !== undefined]).toEqual([id, idempotent === "showsSecret"]);
  }
});

test("without a key nothing is stored, and every request creates", async () => {
  const before = await query(bellhop, "select key from idempotency_keys");
  const ids = await Promise.all([
    createConnection(bellhop, { name: "free" }),
    createConnection(bellhop, { name: "free" }),
  ]);
  expect(new Set(ids.map(({ id }) => id)).size).toBe(2);
  expect(await query(bellhop, "select key from idempotency_keys")).toEqual(before);
});

test("a user is created once under an Idempotency-Key, and the stored request has no password", async () => {
  const key = crypto.randomUUID();
  const body = { email: "once@example.com", name: "Once", role: "viewer", password: PASSWORD };
  const send = () => bellhop.api("POST", "/api/v1/automation/users", body, { "Idempotency-Key": key });
  const first = await dataOf(await send(), 201, userSchema);
  const again = await send();
  expect(again.headers.get("Idempotent-Replayed")).toBe("true");
  expect(await dataOf(again, 201, userSchema)).toEqual(first);
  const [row] = await query(bellhop, "select * from idempotency_keys where key = ?", [key]);
  const guess = createHash("sha256")
    .update(`POST /api/v1/automation/users\n${JSON.stringify(body)}`)
    .digest("base64");
  expect(row?.["request_digest"]).toHaveLength(guess.length);
  expect(row?.["request_digest"]).not.toBe(guess);
  expect(JSON.stringify(row)).not.toContain(PASSWORD);
});

const created = z.object({ data: z.object({ id: z.string() }) });
const webhookKey = z.object({ data: z.object({ webhookKey: z.string() }) });
