import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import {
  call,
  createConnection,
  createWorkflow,
  dataOf,
  errorPathsOf,
  problemOf,
  verb,
} from "../support/management-api.ts";

/** A custom connection whose secrets a script gets is used like any other connection. */
let bellhop: Service;
beforeAll(async () => {
  bellhop = await startApp();
});
afterAll(() => bellhop.stop());

const custom = (name: string) => createConnection(bellhop, { name, type: "custom", config: { fields: {} } });
const running = (connectionId: string, secretsFrom: string) => ({
  definition: {
    nodes: [
      { id: "run", type: "action", action: "script.bash", connectionId, params: { script: "deploy", secretsFrom } },
    ],
    edges: [],
  },
});

describe("secretsFrom", () => {
  test("names an enabled custom connection, or the workflow is not saved", async () => {
    const scripts = await createConnection(bellhop);
    const deploy = await custom("deploy");
    await createWorkflow(bellhop, running(scripts.id, deploy.id));
    const refused = (id: string) =>
      call(bellhop, "POST", "/workflows", { name: "w", trigger: { type: "webhook" }, ...running(scripts.id, id) });
    for (const id of [scripts.id, "con_none", "{{webhook.id}}"]) {
      expect(await errorPathsOf(await refused(id))).toEqual(["definition.nodes.0.params.secretsFrom"]);
    }
    await call(bellhop, "POST", `/connections/${deploy.id}/disable`);
    expect(await errorPathsOf(await refused(deploy.id))).toEqual(["definition.nodes.0.params.secretsFrom"]);
  });

  test("protects the connection from deletion while a published workflow names it", async () => {
    const scripts = await createConnection(bellhop);
    const deploy = await custom("kept");
    const made = await createWorkflow(bellhop, { name: "ship", ...running(scripts.id, deploy.id) });
    await verb(bellhop, made.id, "publish");
    const { detail } = await problemOf(await call(bellhop, "DELETE", `/connections/${deploy.id}`), 409, "conflict");
    expect(detail).toContain(`ship (${made.id})`);
    await verb(bellhop, made.id, "unpublish");
    expect((await call(bellhop, "DELETE", `/connections/${deploy.id}`)).status).toBe(200);
  });

  test("is exported with the connection's name, and a file may name the connection by its own key", async () => {
    const scripts = await createConnection(bellhop);
    const moved = await custom("moved secrets");
    const made = await createWorkflow(bellhop, running(scripts.id, moved.id));
    const text = await (await call(bellhop, "GET", `/workflows/${made.id}/export`)).text();
    expect(text).toContain("name: moved secrets\n    type: custom");
    const file = text.replaceAll(moved.id, "secrets");
    const response = await fetch(`${bellhop.url}/api/v1/automation/workflows/import`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
      body: file,
    });
    const imported = await dataOf(response, 201, workflowSchema);
    expect(imported.definition.nodes).toMatchObject([{ params: { secretsFrom: moved.id } }]);
  });
});
