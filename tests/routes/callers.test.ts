import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Operation } from "../../schema/contract/operation.ts";
import { endpoints } from "../../worker/routes/endpoints.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { makeCallers } from "../support/callers.ts";
import type { Caller, Outcome } from "../support/callers.ts";
import { CLIENT_ID, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";

/** Every endpoint against every kind of caller, over HTTP: who is let on follows from the contract alone. */
let issuer: OidcIssuer;
let bellhop: Bellhop;
let callers: Caller[];
beforeAll(async () => {
  issuer = await startOidcIssuer();
  bellhop = await startBellhop({
    bindings: { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_ROLE_CLAIM: "roles" },
  });
  callers = await makeCallers(bellhop, issuer);
});
afterAll(async () => {
  await bellhop.stop();
  await issuer.stop();
});

// Nothing has the id x, and no write has a body: whoever is let on changes nothing, but who signs out is out.
const operations = endpoints
  .map(({ operation }) => operation)
  .sort((a, b) => Number(a.id === "logout") - Number(b.id === "logout"));

async function call(operation: Operation, caller: Caller): Promise<number> {
  const response = await fetch(bellhop.url + operation.path.replaceAll(/\{\w+\}/gu, "x"), {
    method: operation.method,
    headers: caller.headers(operation),
    redirect: "manual",
  });
  await response.body?.cancel();
  return response.status;
}

async function meetAll(operation: Operation): Promise<Record<string, Outcome>> {
  const outcomes = await Promise.all(
    callers.map(async (caller): Promise<[string, Outcome]> => {
      const status = await call(operation, caller);
      return [caller.name, status === 401 || status === 403 ? status : "let on"];
    }),
  );
  return Object.fromEntries(outcomes);
}

describe("whom a guarded endpoint lets on", () => {
  const guarded = operations.filter(({ access }) => access !== "public");

  test.each(guarded)("$method $path: $access", async (operation) => {
    const expected = Object.fromEntries(callers.map((caller) => [caller.name, caller.outcome(operation)]));
    expect(await meetAll(operation)).toEqual(expected);
  });
});

describe("a public endpoint lets everybody on", () => {
  // The others check credentials of their own, and say so.
  const open = operations.filter(
    ({ access, security, errors = [] }) =>
      access === "public" && security === undefined && !errors.includes("unauthorized"),
  );

  test.each(open)("$method $path", async (operation) => {
    const expected = callers.map(({ name }): [string, Outcome] => [name, "let on"]);
    expect(await meetAll(operation)).toEqual(Object.fromEntries(expected));
  });
});

describe("an endpoint with credentials of its own answers none of these callers", () => {
  const own = operations.filter(({ security }) => security !== undefined);

  test.each(own)("$method $path", async (operation) => {
    const statuses = await Promise.all(callers.map((caller) => call(operation, caller)));
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });
});

describe("the table", () => {
  test("has no operation twice", () => {
    const calls = operations.map(({ method, path }) => `${method} ${path}`);
    expect(calls).toEqual([...new Set(calls)]);
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test("opens no write to everybody but signing in, and none to those who may read alone", () => {
    // A monitoring tool's key stands in the path.
    const writes = operations.filter(
      ({ method, security, path }) => method !== "GET" && security === undefined && !path.includes("{key}"),
    );
    expect(writes.filter(({ access }) => access === "public").map(({ id }) => id)).toEqual(["login"]);
    // Its method is that of its body: it writes nothing.
    expect(writes.filter(({ access }) => access === "automation:read").map(({ id }) => id)).toEqual([
      "validateWorkflow",
    ]);
  });

  test("asks administrators alone for users and the audit log", () => {
    const guarded = operations.filter(({ path }) => /\/(?:users|audit)\b/u.test(path));
    expect(new Set(guarded.map(({ access }) => access))).toEqual(new Set(["admin"]));
    expect(guarded).toHaveLength(5);
  });

  test.each([
    ["agents", ["agents:write"]],
    ["connections", ["automation:execute", "connections:write", "credentials:write"]],
    ["workflows", ["automation:execute", "automation:write"]],
    ["executions", ["automation:approve", "automation:execute"]],
    ["incidents", ["incidents:write"]],
  ])("asks for the permission of its resource where %s are changed", (resource, permissions) => {
    const changing = operations.filter(
      ({ id, method, path }) => method !== "GET" && path.split("/")[4] === resource && id !== "validateWorkflow",
    );
    expect([...new Set<string>(changing.map(({ access }) => access))].sort()).toEqual(permissions);
  });
});
