import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { ACTIONS } from "../../schema/contract/action.ts";
import { readYaml } from "../../worker/domain/workflow-file/read-yaml.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { everyNode } from "../support/every-node.ts";
import {
  call,
  createConnection,
  createWorkflow,
  dataOf,
  makeWebhookKey,
  problemOf,
} from "../support/management-api.ts";
import { query } from "../support/database.ts";
import { fileProblems } from "../support/workflow-file-validator.ts";

let bellhop: Bellhop;
let schema: JsonObject;
let everything: object;
beforeAll(async () => {
  bellhop = await startBellhop();
  schema = jsonObjectSchema.parse(await (await fetch(`${bellhop.url}/api/v1/schemas/workflow.json`)).json());
  everything = await everyNode(bellhop);
});
afterAll(() => bellhop.stop());

const exported = async (id: string): Promise<string> => {
  const response = await call(bellhop, "GET", `/workflows/${id}/export`);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("application/yaml; charset=utf-8");
  return response.text();
};
const importFile = (file: string, search = "") =>
  fetch(`${bellhop.url}/api/v1/automation/workflows/import${search}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
    body: file,
  });
const valueOf = (file: string) => {
  const read = readYaml(file);
  if (!read.ok) throw new Error(JSON.stringify(read.errors));
  return read.value;
};

describe("exporting", () => {
  test("keeps the bytes and the draft identical when it alternates with importing", async () => {
    const made = await createWorkflow(bellhop, everything);
    const first = await exported(made.id);
    const again = await dataOf(await importFile(first), 201, workflowSchema);
    expect(await exported(again.id)).toBe(first);
    const { name, description, trigger, definition } = made;
    expect(again).toMatchObject({ name, description, trigger, definition });
    const replaced = await dataOf(await importFile(first, `?workflowId=${made.id}`), 200, workflowSchema);
    expect({ ...replaced, revision: 1, updatedAt: "" }).toEqual({ ...made, updatedAt: "" });
  });

  test("gives a file that matches the published schema, which its first line names", async () => {
    const made = await createWorkflow(bellhop, everything);
    const file = await exported(made.id);
    expect(file.split("\n")[0]).toBe(`# yaml-language-server: $schema=${bellhop.url}/api/v1/schemas/workflow.json`);
    expect(schema["$id"]).toBe(`${bellhop.url}/api/v1/schemas/workflow.json`);
    expect(fileProblems(schema, valueOf(file))).toEqual([]);
  });

  test("writes the nodes' positions at the end of the definition, a line each", async () => {
    const made = await createWorkflow(bellhop, everything);
    const file = await exported(made.id);
    expect(file).toContain('  layout:\n    look: { x: 0, "y": -40 }\n    deep: { x: 24, "y": 48 }\nconnections:');
  });

  test("does not depend on the order of the fields in the request", async () => {
    const { trigger, definition, ...rest } = { ...(await createWorkflow(bellhop, everything)) };
    const turned = JSON.parse(JSON.stringify({ definition, trigger }), (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value) && "type" in value
        ? Object.fromEntries(Object.entries(value).toReversed())
        : value,
    );
    const made = await createWorkflow(bellhop, { ...everything, ...turned });
    expect(await exported(made.id)).toBe(await exported(rest.id));
  });

  test("writes nothing of a webhook's key, and of a connection only the name and type", async () => {
    const made = await createWorkflow(bellhop, {
      ...everything,
      trigger: { type: "webhook" },
      definition: {
        nodes: [
          {
            id: "a",
            type: "action",
            action: "teamchat.sendMessage",
            connectionId: (
              await createConnection(bellhop, {
                name: "chat",
                type: "teamchat",
                config: { webhookUrl: "https://example.com/hook/s3cret" },
              })
            ).id,
            params: { text: "hi" },
          },
        ],
        edges: [],
      },
    });
    const key = await makeWebhookKey(bellhop, made.id);
    const file = await exported(made.id);
    for (const secret of [key.webhookKey, key.webhookSecret, "s3cret"]) expect(file).not.toContain(secret);
    expect(valueOf(file)).toMatchObject({ connections: expect.any(Object), trigger: { type: "webhook" } });
    expect(file).toContain("name: chat\n    type: teamchat");
  });

  test("gives the file a plain name", async () => {
    const names = [
      ["Restart — «web» ☕", "restart-web"],
      ['a"b\\c/../d', "a-b-c-d"],
      ["漢字", null],
    ] as const;
    for (const [name, expected] of names) {
      const made = await createWorkflow(bellhop, { name });
      const response = await call(bellhop, "GET", `/workflows/${made.id}/export`);
      expect(response.headers.get("Content-Disposition")).toBe(
        `attachment; filename="${expected ?? made.id}.workflow.yaml"`,
      );
      await response.body?.cancel();
    }
  });

  test("is a 404 for an unknown workflow, and leaves no audit entry", async () => {
    await problemOf(await call(bellhop, "GET", "/workflows/wf_none/export"), 404, "not_found");
    const before = await query(bellhop, "select count(*) as n from audit_log");
    const made = await createWorkflow(bellhop);
    await exported(made.id);
    const after = await query(bellhop, "select count(*) as n from audit_log");
    expect(Number(after[0]?.["n"])).toBe(Number(before[0]?.["n"]) + 1);
  });
});

describe("the published schema", () => {
  const file = (node: object, more: object = {}) =>
    jsonObjectSchema.parse({
      apiVersion: "bellhop/v1",
      kind: "Workflow",
      name: "x",
      trigger: { type: "webhook" },
      definition: { nodes: [node], edges: [] },
      ...more,
    });
  const cases = (list: [what: string, node: object, more?: object][]) =>
    list.map(([what, node, more = {}]): [string, object, object] => [what, node, more]);
  const action = (name: string, params: object) => ({ id: "a", type: "action", action: name, params });

  test("is readable without a token, and has less than 40 KB", async () => {
    const response = await fetch(`${bellhop.url}/api/v1/schemas/workflow.json`);
    expect(response.headers.get("Content-Type")).toBe("application/schema+json");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect((await response.text()).length).toBeLessThan(40_000);
  });

  test.each<[string, object, object]>(
    cases([
      ["a number as text", action("kubernetes.scaleDeployment", { deployment: "x", replicas: "3" })],
      [
        "a template instead of a number",
        action("kubernetes.scaleDeployment", { deployment: "x", replicas: "{{webhook.n}}" }),
      ],
      ["a template instead of an object", action("script.bash", { script: "true", env: "{{webhook.env}}" })],
      ["a template in a list", action("http.request", { path: "/", expectStatus: ["{{webhook.a}}", 200] })],
      [
        "loops in loops",
        {
          id: "f",
          type: "forEach",
          items: "{{webhook.a}}",
          body: {
            nodes: [
              {
                id: "g",
                type: "forEach",
                items: "{{foreach.item}}",
                body: { nodes: [{ id: "d", type: "delay", seconds: 1 }], edges: [] },
              },
            ],
            edges: [],
          },
        },
      ],
      [
        "readable keys",
        { ...action("script.bash", { script: "true" }), connectionId: "web" },
        { connections: { web: { name: "Web", type: "script" } } },
      ],
    ]),
  )("takes %s", (_what, node, more) => {
    expect(fileProblems(schema, file(node, more))).toEqual([]);
  });

  test.each<[string, object, object]>(
    cases([
      ["an unknown action", action("script.perl", { script: "1" })],
      ["an unknown parameter", action("script.bash", { script: "true", shell: "zsh" })],
      ["a missing parameter", action("script.bash", {})],
      ["a parameter of the wrong type", action("kubernetes.scaleDeployment", { deployment: "x", replicas: "three" })],
      ["text that is not a number", action("kubernetes.scaleDeployment", { deployment: "x", replicas: "3.5" })],
      ["an unknown field", { id: "d", type: "delay", seconds: 1, colour: "red" }],
      [
        "an unknown node in a loop",
        { id: "f", type: "forEach", items: "x", body: { nodes: [{ id: "a", type: "teleport" }], edges: [] } },
      ],
      ["another kind", { id: "d", type: "delay", seconds: 1 }, { kind: "Pipeline" }],
      ["an unknown top-level field", { id: "d", type: "delay", seconds: 1 }, { webhookSecret: "x" }],
    ]),
  )("refuses %s", (_what, node, more) => {
    expect(fileProblems(schema, file(node, more))).not.toEqual([]);
  });

  test("knows every action", () => {
    for (const name of Object.keys(ACTIONS)) expect(JSON.stringify(schema)).toContain(`{"const":"${name}"}`);
  });
});
