import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { MANAGEMENT_BODY_MAX_BYTES } from "../../schema/limits.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  call,
  createAgent,
  createWorkflow,
  errorPathsOf,
  makeWebhookKey,
  pageOf,
  problemOf,
  verb,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation";

/** Every address, with its methods. */
const ADDRESSES: [string, string][] = [
  ["/agents", "GET, HEAD, POST"],
  ["/agents/x", "GET, HEAD, PATCH, DELETE"],
  ["/agents/x/regenerate-key", "POST"],
  ["/agents/x/enable", "POST"],
  ["/agents/x/disable", "POST"],
  ["/pools", "GET, HEAD"],
  ["/pools/x", "GET, HEAD"],
  ["/connections", "GET, HEAD, POST"],
  ["/connections/x", "GET, HEAD, PATCH, DELETE"],
  ["/connections/x/enable", "POST"],
  ["/connections/x/disable", "POST"],
  ["/workflows", "GET, HEAD, POST"],
  ["/workflows/validate", "POST"],
  ["/workflows/x", "GET, HEAD, PUT, DELETE"],
  ["/workflows/x/versions", "GET, HEAD"],
  ["/workflows/x/publish", "POST"],
  ["/workflows/x/unpublish", "POST"],
  ["/workflows/x/activate", "POST"],
  ["/workflows/x/deactivate", "POST"],
  ["/workflows/x/webhook-key", "POST"],
  ["/workflows/x/execute", "POST"],
  ["/executions", "GET, HEAD"],
  ["/executions/x", "GET, HEAD"],
  ["/executions/x/cancel", "POST"],
  ["/jobs/x", "GET, HEAD"],
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

describe("every management address", () => {
  test.each(ADDRESSES)("%s answers 401 without a token and with a wrong one, for every method", async (path) => {
    for (const method of METHODS) {
      for (const authorization of [undefined, "Bearer wrong", "Basic dXNlcjpwYXNz"]) {
        const headers = new Headers();
        if (authorization !== undefined) headers.set("Authorization", authorization);
        const response = await fetch(`${bellhop.url}${BASE}${path}`, { method, headers });
        expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
        await problemOf(response, 401, "unauthorized");
      }
    }
  });

  test.each(ADDRESSES)("%s answers 405 to other methods, and names %s", async (path, allowed) => {
    for (const method of METHODS.filter((name) => !allowed.split(", ").includes(name))) {
      const response = await call(bellhop, method, path);
      expect(response.headers.get("Allow")).toBe(allowed);
      await problemOf(response, 405, "method_not_allowed");
    }
  });

  test("an unknown address is a 404 for authenticated callers", async () => {
    for (const path of ["", "/", "/nothing", "/jobs", "/connections/x/nothing", "/executions/x/"]) {
      await problemOf(await fetch(`${bellhop.url}${BASE}${path}`, { method: "POST" }), 401, "unauthorized");
      await problemOf(await call(bellhop, "POST", path), 404, "not_found");
    }
  });
});

describe("bodies", () => {
  const send = (body: string, headers: Record<string, string>) =>
    fetch(`${bellhop.url}${BASE}/agents`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, ...headers },
      body,
    });
  const json = { "Content-Type": "application/json" };

  test("that are too large are 413, of another content type 415, and with invalid JSON 400", async () => {
    const large = JSON.stringify({ name: "x".repeat(MANAGEMENT_BODY_MAX_BYTES) });
    await problemOf(await send(large, json), 413, "payload_too_large");
    await problemOf(
      await send("name=x", { "Content-Type": "application/x-www-form-urlencoded" }),
      415,
      "unsupported_media_type",
    );
    await problemOf(await send("{name: 1}", json), 400, "invalid_request");
    await problemOf(await send("[".repeat(65) + "]".repeat(65), json), 400, "invalid_request");
    expect(await errorPathsOf(await send('{"__proto__": {"name": "x"}}', json))).toEqual(["__proto__"]);
  });

  test.each([
    ['{\n "name": "x",\n  trigger: 1}', "line 3, column 3", [{ path: "", line: 3, column: 3 }]],
    ['{"name": tru}', "is not valid JSON. Check", []],
    ["{", "is not valid JSON", [{}]],
  ])("with invalid JSON are a 400 that names the place, if the parser knows it: %j", async (body, detail, errors) => {
    const response = await fetch(`${bellhop.url}${BASE}/workflows`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/json" },
      body,
    });
    const problem = await problemOf(response, 400, "invalid_request");
    expect(problem.detail).toContain(detail);
    expect(problem.errors ?? []).toMatchObject(errors);
  });

  test("that are absent get a list of the required fields", async () => {
    expect(await errorPathsOf(await call(bellhop, "POST", "/connections"))).toEqual(["name", "type"]);
  });
});

describe("pools", () => {
  const poolSchema = z.strictObject({ id: z.string(), agentCount: z.int() });

  test("have the names that agents and connections use, and are listed by id and in pages", async () => {
    for (const poolId of ["b-pool", "a-pool", "b-pool"]) await createAgent(bellhop, { poolId });
    await createAgent(bellhop, { poolId: null });
    await call(bellhop, "POST", "/connections", { name: "c", type: "script", poolId: "c-pool" });
    const pools = [
      { id: "a-pool", agentCount: 1 },
      { id: "b-pool", agentCount: 2 },
      { id: "c-pool", agentCount: 0 },
    ];
    const first = await pageOf(await call(bellhop, "GET", "/pools?limit=2"), poolSchema);
    expect(first.items).toEqual(pools.slice(0, 2));
    const rest = await pageOf(await call(bellhop, "GET", `/pools?cursor=${first.nextCursor}`), poolSchema);
    expect(rest).toEqual({ items: pools.slice(2), nextCursor: null });
    await problemOf(await call(bellhop, "GET", "/pools/nowhere"), 404, "not_found");
  });
});

describe("when libSQL cannot be reached", () => {
  test("reads and writes are 503 with Retry-After, and reveal nothing", async () => {
    const { agent } = await createAgent(bellhop, { poolId: "outage" });
    const workflow = await createWorkflow(bellhop);
    const key = await makeWebhookKey(bellhop, workflow.id);
    await verb(bellhop, workflow.id, "publish");
    await bellhop.stopLibsql();
    try {
      const calls: [string, string, object?][] = [
        ["GET", "/agents"],
        ["GET", `/agents/${agent.id}`],
        ["POST", "/agents", { name: "x" }],
        ["POST", `/agents/${agent.id}/regenerate-key`],
        ["GET", "/connections"],
        ["POST", "/connections", { name: "x", type: "script" }],
        ["GET", "/workflows"],
        ["POST", `/workflows/${workflow.id}/deactivate`],
        ["POST", `/workflows/${workflow.id}/execute`],
        ["GET", "/executions"],
        ["GET", "/jobs/job_x"],
      ];
      for (const [method, path, body] of calls) {
        const response = await call(bellhop, method, path, body);
        expect(response.headers.get("Retry-After")).toMatch(/^[1-9]\d*$/u);
        const problem = await problemOf(response, 503, "unavailable");
        expect(JSON.stringify(problem)).not.toMatch(/select|ECONN|127\.0\.0\.1|sql:/iu);
      }
    } finally {
      await bellhop.startLibsql();
    }
    await eventually("the service to be back", async () => (await call(bellhop, "GET", "/agents")).ok);
    expect((await verb(bellhop, workflow.id, "activate")).webhookKey).toBe(key.webhookKey);
    expect(await query(bellhop, "select id from workflows where gate_epoch <> gate_pushed_epoch")).toEqual([]);
  });
});
