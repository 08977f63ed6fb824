import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createWorkflow as createOperation, getWorkflow } from "../../schema/contract/api/workflows.ts";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { WorkflowView } from "../../schema/contract/management.ts";
import { auditEntrySchema } from "../../schema/contract/people.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { undescribed } from "../support/described.ts";
import {
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  pageOf,
  problemOf,
} from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";
import type { Browser } from "../support/people.ts";

let bellhop: Service;
let admin: Browser;
let editor: Browser;
let connectionId: string;
beforeAll(async () => {
  bellhop = await startApp();
  admin = await signedIn(bellhop, await createUser(bellhop));
  editor = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));
  connectionId = (await createConnection(bellhop)).id;
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation/workflows";
const delay = (id: string, seconds: unknown = 1) => ({ id, type: "delay", seconds });
const workflow = (definition: object, others: object = {}) => ({
  name: "a draft",
  trigger: { type: "webhook" },
  definition: { edges: [], ...definition },
  ...others,
});
const post = (body: object) => call(bellhop, "POST", "/workflows", body);
const put = (id: string, body: object) => call(bellhop, "PUT", `/workflows/${id}`, body);
const get = async (id: string) => dataOf(await call(bellhop, "GET", `/workflows/${id}`), 200, workflowSchema);
const saved = async (body: object): Promise<WorkflowView> =>
  dataOf(await post({ ...body, draft: true }), 201, workflowSchema);
const pathsOf = ({ problems }: WorkflowView) => problems.map(({ path }) => path).toSorted();

/** Everything that the designer can leave unfinished, with the paths of its problems. */
const UNFINISHED: readonly (readonly [what: string, body: object, paths: readonly string[]])[] = [
  ["without nodes", workflow({ nodes: [] }), ["definition.nodes"]],
  [
    "whose action has no connection",
    workflow({ nodes: [{ id: "a", type: "action", action: "http.request", params: {} }] }),
    ["definition.nodes.0.connectionId"],
  ],
  ["with a time of 0 s", workflow({ nodes: [delay("a", 0)] }), ["definition.nodes.0.seconds"]],
  [
    "with an empty message of an approval",
    workflow({ nodes: [{ id: "a", type: "approval", message: "" }] }),
    ["definition.nodes.0.message"],
  ],
  [
    "that calls no workflow",
    workflow({ nodes: [{ id: "a", type: "workflow", workflowId: "" }] }),
    ["definition.nodes.0.workflowId"],
  ],
  [
    "with an empty forEach",
    workflow({ nodes: [{ id: "a", type: "forEach", items: "", body: { nodes: [], edges: [] } }] }),
    ["definition.nodes.0.body.nodes", "definition.nodes.0.items"],
  ],
  [
    "with an empty condition",
    workflow({
      nodes: [{ id: "a", type: "condition", when: { logic: "all", conditions: [{ field: "", operator: "equals" }] } }],
    }),
    ["definition.nodes.0.when.conditions.0.field", "definition.nodes.0.when.conditions.0.value"],
  ],
  ["with an id that occurs twice", workflow({ nodes: [delay("a"), delay("a")] }), ["definition.nodes.1.id"]],
  [
    "with an edge to nowhere",
    workflow({ nodes: [delay("a")], edges: [{ from: "a", to: "b", on: "success" }] }),
    ["definition.edges.0.to"],
  ],
  [
    "with a schedule that is no schedule",
    workflow({ nodes: [delay("a")] }, { trigger: { type: "cron", expression: "" } }),
    ["trigger.expression"],
  ],
  [
    "without an event",
    workflow({ nodes: [delay("a")] }, { trigger: { type: "incident", events: [] } }),
    ["trigger.events"],
  ],
  [
    "with an input of a wrong name",
    workflow({ nodes: [delay("a")] }, { trigger: { type: "manual", inputs: { "1x": { type: "string" } } } }),
    ["trigger.inputs.1x"],
  ],
];

describe("a draft", () => {
  test.each(UNFINISHED)(
    "%s is refused without draft: true, and stored with its problems with it",
    async (_what, body, paths) => {
      expect(await errorPathsOf(await post(body))).toEqual([...paths]);
      expect(await errorPathsOf(await post({ ...body, draft: false }))).toEqual([...paths]);
      const made = await saved(body);
      expect(made).toMatchObject({ ...body, published: false, active: false });
      expect(pathsOf(made)).toEqual([...paths]);
      const { warnings: _, ...rest } = made;
      expect(await get(made.id)).toEqual(rest);
      // Publishing demands that there are no problems, and names all of them.
      expect(await errorPathsOf(await call(bellhop, "POST", `/workflows/${made.id}/publish`))).toEqual([...paths]);
      const versions = await call(bellhop, "GET", `/workflows/${made.id}/versions`);
      expect((await pageOf(versions, workflowVersionSchema)).items).toEqual([]);
      await problemOf(await call(bellhop, "POST", `/workflows/${made.id}/execute`, {}), 409, "conflict");
    },
  );

  test("is in lists and can be exported, checked, replaced, activated and deleted", async () => {
    const ids: string[] = [];
    for (const [, body] of UNFINISHED) ids.push((await saved(body)).id);
    const list = await pageOf(await call(bellhop, "GET", "/workflows?limit=200"), workflowSchema);
    expect(list.items.filter(({ id }) => ids.includes(id)).every(({ problems }) => problems.length > 0)).toBe(true);
    for (const id of ids) {
      const file = await call(bellhop, "GET", `/workflows/${id}/export`);
      expect(file.status).toBe(200);
      const imported = await fetch(`${bellhop.url}${BASE}/import`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
        body: await file.text(),
      });
      await problemOf(imported, 400, "invalid_request");
      expect((await call(bellhop, "POST", `/workflows/${id}/activate`)).status).toBe(200);
      const body = workflow({ nodes: [delay("a")] });
      const replaced = await dataOf(await put(id, body), 200, workflowSchema);
      expect(replaced.problems).toEqual([]);
      expect((await call(bellhop, "POST", `/workflows/${id}/publish`)).status).toBe(200);
      expect((await call(bellhop, "DELETE", `/workflows/${id}`)).status).toBe(200);
    }
  });

  test("has an answer that matches its description", async () => {
    const body = { ...workflow({ nodes: [delay("a", -1.5)] }), draft: true };
    expect(await undescribed(createOperation, await post(body))).toEqual([]);
    const { id } = await saved(body);
    expect(await undescribed(getWorkflow, await call(bellhop, "GET", `/workflows/${id}`))).toEqual([]);
  });

  test("of a published workflow leaves its version", async () => {
    const made = await createWorkflow(bellhop);
    const published = await dataOf(await call(bellhop, "POST", `/workflows/${made.id}/publish`), 200, workflowSchema);
    const body = { ...workflow({ nodes: [] }), draft: true };
    const unfinished = await dataOf(await put(made.id, body), 200, workflowSchema);
    expect(unfinished).toMatchObject({ published: true, publishedVersionId: published.publishedVersionId });
    await problemOf(await call(bellhop, "POST", `/workflows/${made.id}/publish`), 400, "invalid_request");
    expect((await get(made.id)).publishedVersionId).toBe(published.publishedVersionId);
  });

  test("without problems is stored like any other", async () => {
    expect(await saved(workflow({ nodes: [delay("a")] }))).toMatchObject({ problems: [], warnings: [] });
  });

  test("has no positions of nodes that it does not have", async () => {
    const layout = { a: { x: 1, y: 2 }, gone: { x: 3, y: 4 } };
    expect((await saved(workflow({ nodes: [delay("a", 0)], layout }))).definition.layout).toEqual({
      a: { x: 1, y: 2 },
    });
  });

  test("is refused when another person has saved since", async () => {
    const made = await saved(workflow({ nodes: [] }));
    const body = { ...workflow({ nodes: [] }), draft: true };
    const response = await bellhop.api("PUT", `${BASE}/${made.id}`, body, { "If-Match": '"0"' });
    await problemOf(response, 412, "precondition_failed");
  });
});

describe("the rights for a draft", () => {
  const run = () => ({ id: "run", type: "action", action: "script.bash", connectionId, params: { script: "" } });

  test("are those of any save: a viewer may not save one", async () => {
    const viewer = await signedIn(bellhop, await createUser(bellhop, { role: "viewer" }));
    await problemOf(await viewer.call("POST", BASE, { ...workflow({ nodes: [] }), draft: true }), 403, "forbidden");
    const operator = await signedIn(bellhop, await createUser(bellhop, { role: "operator" }));
    await problemOf(await operator.call("POST", BASE, { ...workflow({ nodes: [] }), draft: true }), 403, "forbidden");
  });

  test("without code:write, code in an unfinished draft is refused, also in a forEach", async () => {
    const permissions = ["automation:read", "automation:write"] as const;
    const { secret } = await createToken(editor, { permissions });
    const made = await saved(workflow({ nodes: [] }));
    const inside = workflow({
      nodes: [{ id: "each", type: "forEach", items: "", body: { nodes: [run()], edges: [] } }],
    });
    for (const body of [workflow({ nodes: [run()] }), inside]) {
      const send = { ...body, draft: true };
      await problemOf(await withBearer(bellhop, secret, "POST", BASE, send), 403, "forbidden");
      await problemOf(await withBearer(bellhop, secret, "PUT", `${BASE}/${made.id}`, send), 403, "forbidden");
    }
    expect((await get(made.id)).revision).toBe(made.revision);
    const plain = { ...workflow({ nodes: [delay("a", 0)] }), draft: true };
    expect((await withBearer(bellhop, secret, "PUT", `${BASE}/${made.id}`, plain)).status).toBe(200);
  });

  test("a connection that the person may not use is refused", async () => {
    const owner = await createUser(bellhop, { role: "editor" });
    const usableBy = { people: [owner.id], roles: [], workflows: [] };
    const restricted = (
      await createConnection(bellhop, {
        type: "http",
        config: { baseUrl: "https://example.com", authType: "none" },
        usableBy,
      })
    ).id;
    const node = { id: "a", type: "action", action: "http.request", connectionId: restricted, params: {} };
    const body = { ...workflow({ nodes: [node] }), draft: true };
    await problemOf(await editor.call("POST", BASE, body), 403, "forbidden");
    const byOwner = await signedIn(bellhop, owner);
    expect((await byOwner.call("POST", BASE, body)).status).toBe(201);
  });
});

describe("the audit log", () => {
  const entriesOf = async (id: string) =>
    (await pageOf(await call(bellhop, "GET", `/audit?subjectId=${id}`), auditEntrySchema)).items;
  const save = async (by: Browser, id: string, name: string, others: object = { draft: true }) => {
    expect((await by.call("PUT", `${BASE}/${id}`, { ...workflow({ nodes: [] }), name, ...others })).status).toBe(200);
  };
  const shown = async (id: string) =>
    (await entriesOf(id)).toReversed().map(({ verb, detail }) => `${verb} ${String(detail["name"])}`);

  test("has one entry for the saves of one person within 10 minutes", async () => {
    const { id } = await saved(workflow({ nodes: [] }));
    for (const name of ["one", "two", "three"]) await save(admin, id, name);
    const [entry, ...others] = await entriesOf(id);
    expect(others.map(({ verb }) => verb)).toEqual(["create"]);
    expect(entry).toMatchObject({ verb: "update", detail: { name: "three", trigger: "webhook", draft: true } });
  });

  test("has another entry after 10 minutes, for another person, and after another change", async () => {
    const { id } = await saved(workflow({ nodes: [] }));
    await save(admin, id, "one");
    await save(editor, id, "two");
    await save(admin, id, "three");
    await call(bellhop, "POST", `/workflows/${id}/activate`);
    await save(admin, id, "four");
    await query(bellhop, "update audit_log set at = at - 600000 where subject_id = ?", [id]);
    await save(admin, id, "five");
    const complete = { definition: { nodes: [delay("a")], edges: [] } };
    await save(admin, id, "six", complete);
    await save(admin, id, "seven", complete);
    expect(await shown(id)).toEqual([
      "create a draft",
      "update one",
      "update two",
      "update three",
      "activate three",
      "update four",
      "update five",
      "update six",
      "update seven",
    ]);
  });

  test("loses no entry when two saves of one draft meet", async () => {
    const { id } = await saved(workflow({ nodes: [] }));
    await save(admin, id, "one");
    await Promise.all(["two", "three", "four"].map((name) => save(admin, id, name)));
    expect((await entriesOf(id)).map(({ verb }) => verb)).toEqual(["update", "create"]);
    expect((await get(id)).revision).toBe(5);
  });
});
