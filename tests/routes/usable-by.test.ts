import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectionSchema } from "../../schema/contract/management.ts";
import type { Permission, UserView } from "../../schema/contract/people.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, createConnection, createWorkflow, dataOf, errorPathsOf, problemOf } from "../support/management-api.ts";
import { createToken, createUser, signedIn, withBearer } from "../support/people.ts";
import type { Browser } from "../support/people.ts";
import { query } from "../support/database.ts";

let bellhop: Service;
let editor: UserView;
let byEditor: Browser;
let byAdmin: Browser;
beforeAll(async () => {
  bellhop = await startApp();
  byAdmin = await signedIn(bellhop, await createUser(bellhop));
  editor = await createUser(bellhop, { role: "editor" });
  byEditor = await signedIn(bellhop, editor);
});
afterAll(() => bellhop.stop());

const PATH = "/api/v1/automation/connections";
const BODY = { name: "scripts", type: "script", poolId: "p" };
const EDITORS = { people: [], roles: ["editor"], workflows: [] };
const patch = (id: string, usableBy: unknown) => call(bellhop, "PATCH", `/connections/${id}`, { usableBy });

describe("usableBy", () => {
  test("is null by default, may be given in part, has no duplicates, and can be removed", async () => {
    const { id, usableBy } = await createConnection(bellhop);
    expect(usableBy).toBeNull();
    const sent = { people: [editor.id, editor.id], roles: ["editor", "admin"] };
    const view = await dataOf(await patch(id, sent), 200, connectionSchema);
    expect(view.usableBy).toEqual({ people: [editor.id], roles: ["admin", "editor"], workflows: [] });
    expect((await dataOf(await patch(id, null), 200, connectionSchema)).usableBy).toBeNull();
    expect((await createConnection(bellhop, { usableBy: EDITORS })).usableBy).toEqual({
      ...EDITORS,
      roles: ["editor"],
    });
  });

  test("refuses unknown people and workflows, invalid roles, and lists on a notification", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const disabled = await createUser(bellhop);
    await call(bellhop, "PATCH", `/users/${disabled.id}`, { enabled: false });
    const usableBy = {
      people: [disabled.id, "usr_none"],
      workflows: ["wf_none", workflowId],
    };
    const { id } = await createConnection(bellhop);
    const paths = ["usableBy.people.1", "usableBy.workflows.0"];
    expect(await errorPathsOf(await patch(id, usableBy))).toEqual(paths);
    expect(await errorPathsOf(await call(bellhop, "POST", "/connections", { ...BODY, usableBy }))).toEqual(paths);
    expect(await errorPathsOf(await patch(id, { roles: ["root"], groups: [] }))).toEqual([
      "usableBy.groups",
      "usableBy.roles.0",
    ]);
    const notification = await createConnection(bellhop, { type: "notification" });
    expect(await errorPathsOf(await patch(notification.id, EDITORS))).toEqual(["usableBy"]);
  });

  test("keeps the ids of a deleted person and workflow, also when it is edited", async () => {
    const { id: workflowId } = await createWorkflow(bellhop);
    const gone = await createUser(bellhop);
    const usableBy = { people: [gone.id], roles: [], workflows: [workflowId] };
    const { id } = await createConnection(bellhop, { usableBy });
    await call(bellhop, "DELETE", `/users/${gone.id}`);
    await call(bellhop, "DELETE", `/workflows/${workflowId}`);
    const view = await dataOf(await patch(id, { ...usableBy, roles: ["admin"] }), 200, connectionSchema);
    expect(view.usableBy).toEqual({ ...usableBy, roles: ["admin"] });
  });

  test("needs credentials:write on create and on edit", async () => {
    const problem = await problemOf(
      await byEditor.call("POST", PATH, { ...BODY, usableBy: EDITORS }),
      403,
      "forbidden",
    );
    expect(problem.detail).toContain("credentials:write");
    const { id } = await createConnection(bellhop, { usableBy: EDITORS });
    for (const usableBy of [null, { people: [editor.id] }]) {
      await problemOf(await byEditor.call("PATCH", `${PATH}/${id}`, { usableBy }), 403, "forbidden");
    }
    expect((await byEditor.call("PATCH", `${PATH}/${id}`, { name: "x", usableBy: EDITORS })).status).toBe(200);
    expect((await byEditor.call("POST", PATH, { ...BODY, usableBy: null })).status).toBe(201);
    expect((await byAdmin.call("PATCH", `${PATH}/${id}`, { usableBy: null })).status).toBe(200);
  });

  test("needs that permission in a token, too", async () => {
    const { id } = await createConnection(bellhop);
    const status = async (...permissions: Permission[]) => {
      const { secret } = await createToken(byAdmin, { permissions });
      return (await withBearer(bellhop, secret, "PATCH", `${PATH}/${id}`, { usableBy: EDITORS })).status;
    };
    expect(await status("connections:write")).toBe(403);
    expect(await status("credentials:write")).toBe(403);
    expect(await status("connections:write", "credentials:write")).toBe(200);
  });

  test("is in the audit log with its old and new value", async () => {
    const { id } = await createConnection(bellhop, { usableBy: EDITORS });
    await patch(id, null);
    const rows = await query(bellhop, `select verb, detail from audit_log where subject_id = '${id}' order by id`);
    const details = rows.map(({ verb, detail }): unknown => [verb, JSON.parse(String(detail))]);
    expect(details).toEqual([
      ["create", { name: "scripts", type: "script", usableBy: EDITORS }],
      ["update", { name: "scripts", fields: ["usableBy"], usableBy: null, formerUsableBy: EDITORS }],
    ]);
  });
});
