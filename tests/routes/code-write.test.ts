import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import type { Problem } from "../../schema/contract/problem.ts";
import { importCheckSchema } from "../../schema/contract/workflow-file.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, createConnection, createWorkflow, dataOf, pageOf, problemOf, verb } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";

/** Every way to bring in code, by an editor's token with `code:write` and by one without. */
const BASE = "/api/v1/automation/workflows";
const NEEDS = /^This needs the permission code:write for definition\.nodes\.1 \(run\)\. /u;

let bellhop: Service;
let connectionId: string;
let author: string;
let other: string;
beforeAll(async () => {
  bellhop = await startApp();
  connectionId = (await createConnection(bellhop)).id;
  await createUser(bellhop);
  const editor = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));
  const permissions = ["automation:read", "automation:write"] as const;
  author = (await createToken(editor, { permissions: [...permissions, "code:write"] })).secret;
  other = (await createToken(editor, { permissions })).secret;
});
afterAll(() => bellhop.stop());

const pause = { id: "pause", type: "delay", seconds: 5 };
const run = (script: string) => ({
  id: "run",
  type: "action",
  action: "script.bash",
  connectionId,
  params: { script },
});
const workflow = (...nodes: object[]) => ({
  name: "w",
  trigger: { type: "webhook" },
  definition: { nodes, edges: [] },
});
const withScript = (script = "true") => workflow(pause, run(script));
const make = (body: object): Promise<WorkflowView> => createWorkflow(bellhop, body);

const post = (token: string, path: string, body?: unknown) =>
  withBearer(bellhop, token, "POST", `${BASE}${path}`, body);
const put = (token: string, id: string, body: unknown) => withBearer(bellhop, token, "PUT", `${BASE}/${id}`, body);
const send = (token: string, search: string, file: object) =>
  fetch(`${bellhop.url}${BASE}/import${search}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/yaml" },
    body: JSON.stringify({ apiVersion: "bellhop/v1", kind: "Workflow", ...file }, null, 2),
  });
const draftOf = async (id: string) =>
  (await dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema)).definition;

async function refused(response: Response): Promise<Problem> {
  const problem = await problemOf(response, 403, "forbidden");
  expect(problem.detail).toMatch(NEEDS);
  expect(problem.errors?.map(({ path }) => path)).toEqual(["definition.nodes.1"]);
  return problem;
}

describe("code is refused without code:write and saved with it", () => {
  test("in a new workflow", async () => {
    await refused(await post(other, "", withScript()));
    await dataOf(await post(author, "", withScript()), 201, workflowSchema);
    await dataOf(await post(other, "", workflow(pause)), 201, workflowSchema);
  });

  test("in a copy of a workflow that already has it", async () => {
    const { name, trigger, definition } = await make(withScript());
    await refused(await post(other, "", { name: `${name} (copy)`, trigger, definition }));
    await dataOf(await post(author, "", { name: `${name} (copy)`, trigger, definition }), 201, workflowSchema);
  });

  test("in a changed draft, which stays as it was", async () => {
    const { id } = await make(withScript());
    await refused(await put(other, id, withScript("id")));
    expect((await draftOf(id)).nodes).toMatchObject([pause, { params: { script: "true" } }]);
    await dataOf(await put(author, id, withScript("id")), 200, workflowSchema);
  });

  test("except when only other nodes change, or the code is deleted", async () => {
    const { id } = await make(withScript());
    const renamed = {
      ...workflow({ ...pause, seconds: 9 }, run("true")),
      name: "renamed",
      trigger: { type: "manual" },
    };
    await dataOf(await put(other, id, renamed), 200, workflowSchema);
    await dataOf(await put(other, id, workflow(pause)), 200, workflowSchema);
    // The code was deleted, so it is new again.
    await refused(await put(other, id, withScript()));
  });

  test("in an imported file, with its line", async () => {
    const { id } = await make(workflow(pause));
    for (const search of ["", `?workflowId=${id}`]) {
      const [error] = (await refused(await send(other, search, withScript()))).errors ?? [];
      expect(error?.line).toBeGreaterThan(1);
    }
    expect((await draftOf(id)).nodes).toMatchObject([pause]);
    await dataOf(await send(author, "", withScript()), 201, workflowSchema);
    await dataOf(await send(author, `?workflowId=${id}`, withScript()), 200, workflowSchema);
    await dataOf(await send(other, `?workflowId=${id}`, withScript()), 200, workflowSchema);
  });

  test("in a dry run of an import, which lists it among the errors", async () => {
    const check = await dataOf(await send(other, "?dryRun=true", withScript()), 200, importCheckSchema);
    expect(check).toMatchObject({ valid: false, action: "create", errors: [{ path: "definition.nodes.1" }] });
    expect(check.errors[0]?.line).toBeGreaterThan(1);
    const allowed = await dataOf(await send(author, "?dryRun=true", withScript()), 200, importCheckSchema);
    expect(allowed).toMatchObject({ valid: true, errors: [] });
  });

  test("in a draft that another person saved, when it is published", async () => {
    const { id } = await make(workflow(pause));
    await verb(bellhop, id, "publish");
    await dataOf(await put(author, id, withScript()), 200, workflowSchema);
    await refused(await post(other, `/${id}/publish`));
    const published = await dataOf(await post(author, `/${id}/publish`), 200, workflowSchema);
    expect(published.published).toBe(true);
    // None of it is new any longer.
    await dataOf(await put(other, id, workflow({ ...pause, seconds: 9 }, run("true"))), 200, workflowSchema);
    await dataOf(await post(other, `/${id}/publish`), 200, workflowSchema);
  });

  test("in a workflow's first version, when it is published", async () => {
    const { id } = await make(withScript());
    await refused(await post(other, `/${id}/publish`));
    await dataOf(await post(author, `/${id}/publish`), 200, workflowSchema);
  });

  test("in an old version that becomes the draft again", async () => {
    const { id } = await make(withScript("id"));
    await verb(bellhop, id, "publish");
    await dataOf(await put(author, id, withScript("true")), 200, workflowSchema);
    await verb(bellhop, id, "publish");
    const { items } = await pageOf(await call(bellhop, "GET", `/workflows/${id}/versions`), workflowVersionSchema);
    const old = items.at(-1);
    const restored = { name: "w", trigger: old?.trigger, definition: old?.definition };
    await refused(await put(other, id, restored));
    await dataOf(await put(author, id, restored), 200, workflowSchema);
  });
});

test("the refusal names every node, including those in bodies of forEach", async () => {
  const body = { nodes: [run("id")], edges: [] };
  const loop = { id: "loop", type: "forEach", items: "{{ inputs.hosts }}", body };
  const request = { id: "call", type: "action", action: "http.request", params: { method: "POST" } };
  const http = { type: "http", config: { baseUrl: "https://api.example", authType: "none" } };
  const node = { ...request, connectionId: (await createConnection(bellhop, http)).id };
  const { detail, errors } = await problemOf(await post(other, "", workflow(loop, node)), 403, "forbidden");
  expect(errors?.map(({ path }) => path)).toEqual(["definition.nodes.1", "definition.nodes.0.body.nodes.0"]);
  expect(detail).toContain("definition.nodes.1 (call), definition.nodes.0.body.nodes.0 (run)");
  await dataOf(
    await post(other, "", workflow({ ...node, params: { method: "GET", path: "/x" } })),
    201,
    workflowSchema,
  );
});
