import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { z } from "zod";
import type { JsonObject } from "../../schema/contract/json.ts";
import { connectionTestSchema } from "../../schema/contract/management.ts";
import type { UserView } from "../../schema/contract/people.ts";
import type { UsableBy } from "../../schema/contract/usable-by.ts";
import { success } from "../support/agent-client.ts";
import { createConnection, dataOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, succeeded, withBearer } from "../support/people.ts";
import type { Browser } from "../support/people.ts";
import { WorkflowBench, nodeRun } from "../support/workflow-bench.ts";

/** Ways around `usableBy`, each tried through the API with an agent that would run anything. */
let bench: WorkflowBench;
/** Both are editors; connections of the tests name the first one. */
let owner: UserView;
let byOwner: Browser;
let byOther: Browser;
beforeAll(async () => {
  bench = await WorkflowBench.start();
  await createUser(bench.bellhop);
  owner = await createUser(bench.bellhop, { role: "editor" });
  byOwner = await signedIn(bench.bellhop, owner);
  byOther = await signedIn(bench.bellhop, await createUser(bench.bellhop, { role: "editor" }));
});
afterAll(() => bench.stop());
beforeEach(() => {
  bench.agent.jobs.length = 0;
  bench.agent.does((job) => success(job));
});

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;
const withId = z.object({ id: z.string() });
const API = "/api/v1/automation";
const MANUAL = { type: "manual" };

async function newConnection(): Promise<string> {
  return (await createConnection(bench.bellhop)).id;
}

async function restrict(connectionId: string, usableBy: Partial<UsableBy>): Promise<void> {
  await bench.call("PATCH", `/connections/${connectionId}`, { usableBy });
}

/** A published workflow of this caller, with one node on the connection. */
async function publish(call: Call, definition: JsonObject): Promise<string> {
  const body = { name: "a workflow", trigger: MANUAL, definition };
  const { id } = await succeeded(await call("POST", `${API}/workflows`, body), withId);
  await succeeded(await call("POST", `${API}/workflows/${id}/publish`), withId);
  return id;
}

const on = (connectionId: string): JsonObject => ({ nodes: [bench.action("run", "run", { connectionId })], edges: [] });

/** How the node `run` of an execution ended: the code of its failure, or its status. */
async function endOf(executionId: string, nodeId = "run"): Promise<string> {
  const { status, error } = nodeRun(await bench.ended(executionId), nodeId);
  return error?.code ?? status;
}

const runOf = async (workflowId: string) => endOf(await bench.execute(workflowId));

describe("a run on a connection that names a person", () => {
  test("continues for a version of that person, and ends for another's, for any starter", async () => {
    const connectionId = await newConnection();
    const [own, others] = [
      await publish(byOwner.call, on(connectionId)),
      await publish(byOther.call, on(connectionId)),
    ];
    await restrict(connectionId, { people: [owner.id] });
    expect(await runOf(own)).toBe("succeeded");
    expect(await runOf(others)).toBe("connection_not_usable");
    expect(bench.agent.jobs).toHaveLength(1);
  });

  test("treats each token as its owner", async () => {
    const connectionId = await newConnection();
    const tokenOf = async (browser: Browser): Promise<Call> => {
      const permissions = ["automation:read", "automation:write", "code:write"] as const;
      const { secret } = await createToken(browser, { permissions });
      return (method, path, body) => withBearer(bench.bellhop, secret, method, path, body);
    };
    const own = [
      await publish(await tokenOf(byOwner), on(connectionId)),
      await publish(await tokenOf(byOwner), on(connectionId)),
    ];
    const others = await publish(await tokenOf(byOther), on(connectionId));
    await restrict(connectionId, { people: [owner.id] });
    for (const id of own) expect(await runOf(id)).toBe("succeeded");
    expect(await runOf(others)).toBe("connection_not_usable");
  });
});

describe("a run on a connection that names a role", () => {
  test("ends once its publisher lost the role or was disabled, also in a retry or next attempt", async () => {
    const person = await createUser(bench.bellhop, { role: "editor" });
    const browser = await signedIn(bench.bellhop, person);
    const connectionId = await newConnection();
    const id = await publish(browser.call, on(connectionId));
    await restrict(connectionId, { roles: ["editor"] });
    const first = await bench.execute(id);
    expect(await endOf(first)).toBe("succeeded");
    await bench.call("PATCH", `/users/${person.id}`, { role: "operator" });
    expect(await endOf(await bench.retry(first, { from: "start" }))).toBe("connection_not_usable");
    expect(await runOf(id)).toBe("connection_not_usable");
    await bench.call("PATCH", `/users/${person.id}`, { role: "editor" });
    expect(await runOf(id)).toBe("succeeded");
    await bench.call("PATCH", `/users/${person.id}`, { enabled: false });
    expect(await runOf(id)).toBe("connection_not_usable");
    await bench.call("DELETE", `/users/${person.id}`);
    expect(await runOf(id)).toBe("connection_not_usable");
  });

  test("ends for a refused publisher's version, although a permitted person published a newer one", async () => {
    const connectionId = await newConnection();
    const id = await publish(byOther.call, on(connectionId));
    const first = await bench.execute(id);
    expect(await endOf(first)).toBe("succeeded");
    await restrict(connectionId, { people: [owner.id] });
    const definition = { nodes: [bench.action("run", "newer", { connectionId })], edges: [] };
    await succeeded(
      await byOwner.call("PUT", `${API}/workflows/${id}`, { name: "a workflow", trigger: MANUAL, definition }),
      withId,
    );
    await succeeded(await byOwner.call("POST", `${API}/workflows/${id}/publish`), withId);
    expect(await endOf(await bench.retry(first, { from: "start" }))).toBe("connection_not_usable");
    expect(await endOf(await bench.retry(first, { from: "start", version: "published" }))).toBe("succeeded");
  });
});

describe("a run on a connection that names a workflow", () => {
  test("continues in that workflow only, also as anyone's sub-workflow, and gives its parent nothing", async () => {
    const connectionId = await newConnection();
    const child = await publish(byOther.call, on(connectionId));
    const parentOf = (workflowId: string) =>
      publish(byOther.call, {
        nodes: [{ id: "sub", type: "workflow", workflowId }, bench.action("run", "run", { connectionId })],
        edges: [{ from: "sub", to: "run", on: "success" }],
      });
    const [parent, unlisted] = [await parentOf(child), await publish(byOther.call, on(connectionId))];
    const listedParent = await parentOf(unlisted);
    await restrict(connectionId, { workflows: [child, listedParent] });
    const execution = await bench.ended(await bench.execute(parent));
    expect(nodeRun(execution, "sub").status).toBe("succeeded");
    expect(nodeRun(execution, "run").error?.code).toBe("connection_not_usable");
    const failed = nodeRun(await bench.ended(await bench.execute(listedParent)), "sub");
    expect(failed.error?.code).toBe("workflow_failed");
    expect(await endOf(failed.childExecutionId ?? "")).toBe("connection_not_usable");
  });
});

describe("a test of a connection", () => {
  test("is for people who may use it, and for those who decide who may", async () => {
    bench.agent.does((job) => success(job, { ok: true, latencyMs: 1, checks: [] }));
    const connectionId = await newConnection();
    await restrict(connectionId, { people: [owner.id] });
    const path = `${API}/connections/${connectionId}/test`;
    const { detail } = await problemOf(await byOther.call("POST", path), 403, "forbidden");
    expect(detail).toContain("credentials:write");
    expect(bench.agent.jobs).toEqual([]);
    for (const response of [await byOwner.call("POST", path), await bench.bellhop.api("POST", path)]) {
      expect(await dataOf(response, 200, connectionTestSchema)).toMatchObject({ ok: true });
    }
  });
});
