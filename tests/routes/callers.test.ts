import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { listUsers } from "../../schema/contract/api/users.ts";
import type { Operation } from "../../schema/contract/operation.ts";
import { endpoints } from "../../worker/routes/endpoints.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { makeTargets, hasTarget } from "../support/caller-targets.ts";
import type { Target } from "../support/caller-targets.ts";
import { METRICS_TOKEN, makeCallers } from "../support/callers.ts";
import type { Caller, Outcome } from "../support/callers.ts";
import { createWebhookWorkflow } from "../support/management.ts";
import { DELAY_DEFINITION } from "../support/management-api.ts";
import { CLIENT_ID, startOidcIssuer } from "../support/oidc-issuer.ts";
import type { OidcIssuer } from "../support/oidc-issuer.ts";

/** Every endpoint meets every kind of caller over HTTP. The contract alone decides which callers are admitted. */
let issuer: OidcIssuer;
let bellhop: Bellhop;
let callers: Caller[];
let targetFor: (operation: Operation) => Promise<Target>;
/** Counts the requests of this file. */
let asked = 0;
beforeAll(async () => {
  issuer = await startOidcIssuer();
  bellhop = await startBellhop({
    bindings: { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT_ID, OIDC_ROLE_CLAIM: "roles", METRICS_TOKEN },
  });
  callers = await makeCallers(bellhop, issuer);
  targetFor = await makeTargets(bellhop);
});
afterAll(async () => {
  await bellhop.stop();
  await issuer.stop();
});

// Nothing has the id x, and no write has a body: an admitted caller changes nothing, except that signing out ends the
// session.
const operations = endpoints
  .map(({ operation }) => operation)
  .sort((a, b) => Number(a.id === "logout") - Number(b.id === "logout"));

async function call(operation: Operation, caller: Caller, id = "x"): Promise<number> {
  asked += 1;
  const path = operation.path.replaceAll("{id}", id).replaceAll(/\{\w+\}/gu, "x");
  const response = await fetch(bellhop.url + path, {
    method: operation.method,
    headers: caller.headers(),
    redirect: "manual",
  });
  await response.body?.cancel();
  return response.status;
}

async function meetAll(operation: Operation, { id = "x", those = callers } = {}): Promise<Record<string, Outcome>> {
  const outcomes = await Promise.all(
    those.map(async (caller): Promise<[string, Outcome]> => {
      const status = await call(operation, caller, id);
      return [caller.name, status === 401 || status === 403 ? status : "admitted"];
    }),
  );
  return Object.fromEntries(outcomes);
}

const expectedOf = (operation: Operation, those: readonly Caller[] = callers) =>
  Object.fromEntries(those.map((caller) => [caller.name, caller.outcome(operation)]));
const guarded = operations.filter(({ access }) => access !== "public");
const withIds = guarded.filter(hasTarget);

describe("a guarded endpoint, with another owner's target", () => {
  test.each(withIds)("$method $path: $access", async (operation) => {
    const target = await targetFor(operation);
    const [refused, others] = [true, false].map((isRefused) =>
      callers.filter((caller) => (caller.outcome(operation) === "admitted") !== isRefused),
    );
    const before = await target.state();
    expect(await meetAll(operation, { id: target.id, those: refused })).toEqual(expectedOf(operation, refused));
    expect(await target.state()).toBe(before);
    expect(await meetAll(operation, { id: target.id, those: others })).toEqual(expectedOf(operation, others));
  });

  test("a token is deleted by an administrator or its owner; others get 404, and the token stays", async () => {
    const operation = withIds.find(({ id }) => id === "deleteToken");
    if (operation === undefined) throw new Error("there is no deleteToken");
    const target = await targetFor(operation);
    const others = callers.filter(
      (caller) => caller.outcome(operation) === "admitted" && caller.outcome(listUsers) === 403,
    );
    const statuses = await Promise.all(others.map((caller) => call(operation, caller, target.id)));
    expect(new Set(statuses)).toEqual(new Set([404]));
    await target.state();
  });
});

describe("a guarded endpoint, without a target", () => {
  test.each(guarded)("$method $path: $access", async (operation) => {
    expect(await meetAll(operation)).toEqual(expectedOf(operation));
  });
});

describe("a public endpoint admits everyone", () => {
  // The other public endpoints check their own credentials, and say so.
  const open = operations.filter(
    ({ access, security, errors = [] }) =>
      access === "public" && security === undefined && !errors.includes("unauthorized"),
  );

  test.each(open)("$method $path", async (operation) => {
    const expected = callers.map(({ name }): [string, Outcome] => [name, "admitted"]);
    expect(await meetAll(operation)).toEqual(Object.fromEntries(expected));
  });
});

describe("an endpoint with its own credentials admits none of these callers", () => {
  const own = operations.filter(({ security }) => security !== undefined);

  test.each(own)("$method $path", async (operation) => {
    const statuses = await Promise.all(callers.map((caller) => call(operation, caller)));
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });

  test("an existing webhook", async () => {
    const { webhookKey } = await createWebhookWorkflow(bellhop, DELAY_DEFINITION);
    const url = `${bellhop.url}/api/v1/automation/webhooks/${webhookKey}`;
    const answers = await Promise.all(
      callers.map((caller) => fetch(url, { method: "POST", headers: caller.headers() })),
    );
    expect(answers.filter(({ status }) => status !== 401 && status !== 429)).toEqual([]);
  });
});

test("each guarded operation met each caller, with an id that nothing has and with an existing one", () => {
  const [met, existing] = [guarded.length * callers.length, withIds.length * callers.length];
  console.log(
    `${operations.length} operations, ${callers.length} callers: ${met} meetings without a target, ${existing} with one, ${asked} requests.`,
  );
  expect(asked).toBeGreaterThanOrEqual(met + existing);
});

describe("the contract's access rules", () => {
  test("have no operation twice", () => {
    const calls = operations.map(({ method, path }) => `${method} ${path}`);
    expect(calls).toEqual([...new Set(calls)]);
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  });

  test("open no write to everyone except signing in and enrolling, and none to readers", () => {
    // A monitoring tool's key is in the path.
    const writes = operations.filter(
      ({ method, security, path }) => method !== "GET" && security === undefined && !path.includes("{key}"),
    );
    expect(writes.filter(({ access }) => access === "public").map(({ id }) => id)).toEqual(["enrolAgent", "login"]);
    // Only its body makes it a POST: it writes nothing.
    expect(writes.filter(({ access }) => access === "automation:read").map(({ id }) => id)).toEqual([
      "validateWorkflow",
    ]);
  });

  test("reserve users and the audit log for administrators", () => {
    const guarded = operations.filter(({ path }) => /\/(?:users|audit)\b/u.test(path));
    expect(new Set(guarded.map(({ access }) => access))).toEqual(new Set(["admin"]));
    expect(guarded).toHaveLength(6);
  });

  test.each([
    ["agents", ["agents:write", "credentials:write"]],
    ["connections", ["automation:execute", "connections:write", "credentials:write"]],
    ["workflows", ["automation:execute", "automation:write"]],
    ["executions", ["automation:approve", "automation:execute"]],
    ["incidents", ["incidents:write"]],
  ])("require the resource's permission to change %s", (resource, permissions) => {
    const changing = operations.filter(
      ({ id, method, path }) => method !== "GET" && path.split("/")[4] === resource && id !== "validateWorkflow",
    );
    expect([...new Set<string>(changing.map(({ access }) => access))].sort()).toEqual(permissions);
  });
});
