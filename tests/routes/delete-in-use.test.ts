import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deletedSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import {
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  problemOf,
  verb,
} from "../support/management-api.ts";

let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const remove = (path: string) => call(bellhop, "DELETE", path);
const removed = async (path: string) => dataOf(await remove(path), 200, deletedSchema);
const running = (connectionId: string) => ({
  definition: {
    nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params: { script: "id" } }],
    edges: [],
  },
});
const within = (definition: object) => ({
  definition: { nodes: [{ id: "all", type: "forEach", items: "[1]", body: definition }], edges: [] },
});

describe("deletion of what a published workflow uses", () => {
  test("is a conflict for a connection, also inside a forEach: it names the workflows, and force deletes", async () => {
    const { id } = await createConnection(bellhop);
    const other = await createConnection(bellhop);
    const path = `/connections/${id}`;
    const one = await createWorkflow(bellhop, { name: "restart", ...running(id) });
    const two = await createWorkflow(bellhop, { name: "sweep", ...within(running(id).definition) });
    await createWorkflow(bellhop, { name: "a draft only", ...running(id) });
    await verb(bellhop, (await createWorkflow(bellhop, running(other.id))).id, "publish");
    for (const made of [one, two]) await verb(bellhop, made.id, "publish");
    const { detail } = await problemOf(await remove(path), 409, "conflict");
    expect(detail).toContain(`2 published workflows use this connection: restart (${one.id}), sweep (${two.id}).`);
    expect(detail).toContain("?force=true");
    expect((await call(bellhop, "GET", path)).status).toBe(200);
    expect(await errorPathsOf(await remove(`${path}?force=yes`))).toEqual(["force"]);
    await problemOf(await remove(`${path}?force=false`), 409, "conflict");
    expect(await removed(`${path}?force=true`)).toEqual({ id });
  });

  test("is allowed for a connection that only drafts and former versions use", async () => {
    const { id } = await createConnection(bellhop);
    const made = await createWorkflow(bellhop, running(id));
    await verb(bellhop, made.id, "publish");
    await verb(bellhop, made.id, "unpublish");
    expect(await removed(`/connections/${id}`)).toEqual({ id });
  });

  test("names five workflows and counts the others", async () => {
    const { id } = await createConnection(bellhop);
    for (let i = 0; i < 7; i += 1) {
      await verb(bellhop, (await createWorkflow(bellhop, { name: `w${i}`, ...running(id) })).id, "publish");
    }
    const { detail } = await problemOf(await remove(`/connections/${id}`), 409, "conflict");
    expect(detail).toContain("w4");
    expect(detail).not.toContain("w5");
    expect(detail).toContain("and 2 more");
  });

  test("is a conflict for a sub-workflow, unless it only calls itself", async () => {
    const child = await createWorkflow(bellhop, { name: "child", trigger: { type: "manual" } });
    await verb(bellhop, child.id, "publish");
    const node = { id: "call", type: "workflow", workflowId: child.id };
    const parent = await createWorkflow(bellhop, { name: "parent", definition: { nodes: [node], edges: [] } });
    await verb(bellhop, parent.id, "publish");
    const { detail } = await problemOf(await remove(`/workflows/${child.id}`), 409, "conflict");
    expect(detail).toContain(`A published workflow uses this workflow: parent (${parent.id}). Change or unpublish it`);
    expect(await removed(`/workflows/${parent.id}`)).toEqual({ id: parent.id });
    const draft = { name: "child", trigger: { type: "manual" }, definition: { nodes: [node], edges: [] } };
    await call(bellhop, "PUT", `/workflows/${child.id}`, draft);
    await verb(bellhop, child.id, "publish");
    expect(await removed(`/workflows/${child.id}`)).toEqual({ id: child.id });
  });
});

test("a caller's inputs are checked against the published sub-workflow when the caller is saved", async () => {
  const inputs = { host: { type: "string", required: true }, tries: { type: "number", required: true, default: 3 } };
  const child = await createWorkflow(bellhop, { name: "child", trigger: { type: "manual", inputs } });
  const save = (variables: object) => ({
    name: "parent",
    trigger: { type: "webhook" },
    definition: { nodes: [{ id: "call", type: "workflow", workflowId: child.id, variables }], edges: [] },
  });
  // No version of it is published, so its inputs are unknown.
  expect((await call(bellhop, "POST", "/workflows", save({ hots: "a" }))).status).toBe(201);
  await verb(bellhop, child.id, "publish");
  const problem = await problemOf(
    await call(bellhop, "POST", "/workflows", save({ hots: "a" })),
    400,
    "invalid_request",
  );
  expect(problem.errors).toEqual([
    { path: "definition.nodes.0.variables.host", message: "is required: it is an input of child" },
    {
      path: "definition.nodes.0.variables.hots",
      message: "is not an input of child; its inputs are: host, tries",
    },
  ]);
  expect((await call(bellhop, "POST", "/workflows", save({ host: "{{webhook.host}}" }))).status).toBe(201);
});
