import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { workflowSchema, workflowVersionSchema } from "../../schema/contract/management.ts";
import type { UserView } from "../../schema/contract/people.ts";
import { importCheckSchema } from "../../schema/contract/workflow-file.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, createConnection, dataOf, pageOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";
import type { Browser } from "../support/people.ts";

/** Who may save and publish a workflow that names a connection which not everyone may use. */
let bellhop: Service;
let owner: UserView;
let byOwner: Browser;
let byOther: Browser;
let byAdmin: Browser;
/** For everyone; for `owner`, a custom connection; for `owner`, a script connection. */
let open: string;
let secrets: string;
let restricted: string;
beforeAll(async () => {
  bellhop = await startApp();
  byAdmin = await signedIn(bellhop, await createUser(bellhop));
  owner = await createUser(bellhop, { role: "editor" });
  byOwner = await signedIn(bellhop, owner);
  byOther = await signedIn(bellhop, await createUser(bellhop, { role: "editor" }));
  const usableBy = { people: [owner.id], roles: [], workflows: [] };
  open = (await createConnection(bellhop)).id;
  secrets = (await createConnection(bellhop, { type: "custom", config: { fields: {} }, usableBy })).id;
  restricted = (await createConnection(bellhop, { usableBy })).id;
});
afterAll(() => bellhop.stop());

const BASE = "/api/v1/automation/workflows";
const script = (id: string, connectionId: string, params: object = {}) => ({
  id,
  type: "action",
  action: "script.bash",
  connectionId,
  params: { script: "true", ...params },
});
const workflow = (...nodes: object[]) => ({
  name: "w",
  trigger: { type: "webhook" },
  definition: { nodes, edges: [] },
});
const make = async (by: Browser, body: object) => dataOf(await by.call("POST", BASE, body), 201, workflowSchema);
const put = (by: Browser, id: string, body: object) => by.call("PUT", `${BASE}/${id}`, body);
const publish = (by: Browser, id: string) => by.call("POST", `${BASE}/${id}/publish`);
const list = (connectionId: string, ...workflows: string[]) =>
  call(bellhop, "PATCH", `/connections/${connectionId}`, { usableBy: { people: [owner.id], workflows } });

async function refusedAt(response: Response): Promise<string[]> {
  const { errors } = await problemOf(response, 403, "forbidden");
  return (errors ?? []).map(({ path }) => path).toSorted();
}

describe("a node on a connection that names its users", () => {
  const each = { id: "each", type: "forEach", items: "{{webhook.list}}" };
  const inside = () => ({ ...each, body: { nodes: [script("a", restricted)], edges: [] } });
  const CASES: [string, () => object, string][] = [
    ["its connection", () => script("a", restricted), "definition.nodes.1.connectionId"],
    ["secretsFrom", () => script("a", open, { secretsFrom: secrets }), "definition.nodes.1.params.secretsFrom"],
    ["the body of a forEach", inside, "definition.nodes.1.body.nodes.0.connectionId"],
  ];

  test.each(CASES)("is saved only by people who may use the connection: as %s", async (_where, node, path) => {
    const body = workflow(script("first", open), node());
    expect(await refusedAt(await byOther.call("POST", BASE, body))).toEqual([path]);
    const { id } = await make(byOwner, body);
    expect(await refusedAt(await byOther.call("POST", BASE, body))).toEqual([path]);
    const { id: plain } = await make(byOther, workflow(script("first", open)));
    expect(await refusedAt(await put(byOther, plain, body))).toEqual([path]);
    expect(await refusedAt(await publish(byOther, id))).toEqual([path]);
    expect(await refusedAt(await publish(byAdmin, id))).toEqual([path]);
    expect((await publish(byOwner, id)).status).toBe(200);
  });

  test("may be left unchanged, moved and deleted by anyone, but not edited", async () => {
    const { id } = await make(byOwner, workflow(script("a", restricted)));
    const saved = await put(byOther, id, workflow(script("b", open), script("a", restricted)));
    expect(saved.status).toBe(200);
    const edited = workflow(script("b", open), script("a", restricted, { script: "id" }));
    expect(await refusedAt(await put(byOther, id, edited))).toEqual(["definition.nodes.1.connectionId"]);
    const renamed = workflow(script("b", open), script("c", restricted));
    expect(await refusedAt(await put(byOther, id, renamed))).toEqual(["definition.nodes.1.connectionId"]);
    expect((await put(byOther, id, workflow(script("b", open)))).status).toBe(200);
  });

  test("is refused to the token of a person who may not use the connection, with any permissions", async () => {
    const permissions = ["automation:read", "automation:write", "code:write", "credentials:write"] as const;
    const { secret } = await createToken(byAdmin, { permissions });
    const response = await withBearer(bellhop, secret, "POST", BASE, workflow(script("a", restricted)));
    expect(await refusedAt(response)).toEqual(["definition.nodes.0.connectionId"]);
  });

  test("is refused in an imported file and in its dry run, with its line", async () => {
    const file = { apiVersion: "bellhop/v1", kind: "Workflow", ...workflow(script("a", restricted)) };
    const send = async (by: Browser, search: string) => {
      const { secret } = await createToken(by, { permissions: ["automation:read", "automation:write", "code:write"] });
      return fetch(`${bellhop.url}${BASE}/import${search}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/yaml" },
        body: JSON.stringify(file, null, 2),
      });
    };
    expect(await refusedAt(await send(byOther, ""))).toEqual(["definition.nodes.0.connectionId"]);
    const check = await dataOf(await send(byOther, "?dryRun=true"), 200, importCheckSchema);
    expect(check).toMatchObject({ valid: false, errors: [{ path: "definition.nodes.0.connectionId" }] });
    expect(check.errors[0]?.line).toBeGreaterThan(1);
    expect((await send(byOwner, "")).status).toBe(201);
  });

  test("sends nothing in a dry run, for anyone", async () => {
    const { trigger, definition } = workflow(script("a", restricted));
    const body = { name: "w", trigger, definition, sample: {} };
    expect((await byOther.call("POST", `${BASE}/validate`, body)).status).toBe(200);
    const jobs = await call(bellhop, "GET", `/executions`);
    expect(await jobs.json()).toMatchObject({ data: [] });
  });
});

describe("a workflow that a connection lists", () => {
  test("may be edited by anyone, and is published by people who may use it or have credentials:write", async () => {
    const { id } = await make(byOther, workflow(script("a", open)));
    const usable = (await createConnection(bellhop)).id;
    await list(usable, id);
    const edit = async (text: string) =>
      expect((await put(byOther, id, workflow(script("a", usable, { script: text })))).status).toBe(200);
    await edit("one");
    expect(await refusedAt(await publish(byOther, id))).toEqual(["definition.nodes.0.connectionId"]);
    expect((await publish(byOwner, id)).status).toBe(200);
    await edit("two");
    expect((await publish(byAdmin, id)).status).toBe(200);
  });

  test("does not give its right to a copy", async () => {
    const usable = (await createConnection(bellhop)).id;
    const { id, trigger, definition } = await make(byOther, workflow(script("a", usable)));
    await list(usable, id);
    const copy = { name: "w (copy)", trigger, definition };
    expect(await refusedAt(await byOther.call("POST", BASE, copy))).toEqual(["definition.nodes.0.connectionId"]);
  });
});

describe("publishing an unchanged draft", () => {
  const versionsOf = async (id: string) =>
    (await pageOf(await call(bellhop, "GET", `/workflows/${id}/versions`), workflowVersionSchema)).items.length;

  test("by another person makes their version if the publisher decides on a connection", async () => {
    const usable = (await createConnection(bellhop)).id;
    const { id } = await make(byOther, workflow(script("a", usable)));
    expect((await publish(byOther, id)).status).toBe(200);
    expect((await publish(byOwner, id)).status).toBe(200);
    expect(await versionsOf(id)).toBe(1);
    await list(usable);
    expect((await publish(byOther, id)).status).toBe(200);
    expect(await versionsOf(id)).toBe(1);
    for (let again = 0; again < 2; again += 1) expect((await publish(byOwner, id)).status).toBe(200);
    expect(await versionsOf(id)).toBe(2);
    expect(await refusedAt(await publish(byOther, id))).toEqual(["definition.nodes.0.connectionId"]);
    expect(await versionsOf(id)).toBe(2);
  });
});
