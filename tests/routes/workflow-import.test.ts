import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { importWorkflow } from "../../schema/contract/api/workflow-code.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { importCheckSchema } from "../../schema/contract/workflow-file.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { undescribed } from "../support/described.ts";
import { call, createConnection, createWorkflow, dataOf, problemOf, verb } from "../support/management-api.ts";
import { query } from "../support/database.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const send = (body: string | Uint8Array<ArrayBuffer>, search = "", contentType: string | null = "application/yaml") =>
  fetch(`${bellhop.url}/api/v1/automation/workflows/import${search}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${bellhop.adminToken}`,
      ...(contentType === null ? {} : { "Content-Type": contentType }),
    },
    body,
  });
const file = (definition: string, more = "") => `apiVersion: bellhop/v1
kind: Workflow
name: restart
trigger: {type: webhook}
${more}definition:
${definition}`;
const PAUSE = "  nodes: [{id: pause, type: delay, seconds: 5}]\n  edges: []\n";
const bash = (connectionId: string) =>
  `  nodes:\n    - id: run\n      type: action\n      action: script.bash\n      connectionId: ${connectionId}\n      params: {script: "true"}\n  edges: []\n`;
const errorsOf = async (body: string) => (await problemOf(await send(body), 400, "invalid_request")).errors ?? [];
const count = async () => Number((await query(bellhop, "select count(*) as n from workflows"))[0]?.["n"]);

describe("importing", () => {
  test("creates a draft, and says so in the audit log", async () => {
    const made = await dataOf(await send(file(PAUSE, "description: from a file\n")), 201, workflowSchema);
    expect(made).toMatchObject({ name: "restart", description: "from a file", published: false, webhookKey: null });
    expect(made.definition.nodes).toEqual([{ id: "pause", type: "delay", seconds: 5 }]);
    const rows = await query(bellhop, "select verb, actor from audit_log where subject_id = ?", [made.id]);
    expect(rows.map((row) => [row["verb"], row["actor"]])).toEqual([["import", "bootstrap"]]);
  });

  test("replaces the draft of the given workflow, and nothing published", async () => {
    const made = await createWorkflow(bellhop, { description: "before" });
    await verb(bellhop, made.id, "publish");
    const replaced = await dataOf(await send(file(PAUSE), `?workflowId=${made.id}`), 200, workflowSchema);
    expect(replaced).toMatchObject({ id: made.id, name: "restart", description: null, published: true });
    const rows = await query(bellhop, "select verb from audit_log where subject_id = ? order by id desc", [made.id]);
    expect(rows[0]?.["verb"]).toBe("import");
    await problemOf(await send(file(PAUSE), "?workflowId=wf_none"), 404, "not_found");
  });

  test("with If-Match replaces only the draft that was read; an Idempotency-Key prevents duplicates", async () => {
    const made = await createWorkflow(bellhop);
    const seen = (await call(bellhop, "GET", `/workflows/${made.id}`)).headers.get("ETag") ?? "";
    const post = (headers: Record<string, string>, search = `?workflowId=${made.id}`) =>
      fetch(`${bellhop.url}/api/v1/automation/workflows/import${search}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "text/yaml", ...headers },
        body: file(PAUSE),
      });
    await dataOf(await post({ "If-Match": seen }), 200, workflowSchema);
    await problemOf(await post({ "If-Match": seen }), 412, "precondition_failed");
    const key = crypto.randomUUID();
    const first = await dataOf(await post({ "Idempotency-Key": key }, ""), 201, workflowSchema);
    const again = await post({ "Idempotency-Key": key }, "");
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(await again.json()).toMatchObject({ data: { id: first.id } });
  });

  test.each(["application/yaml", "text/yaml; charset=utf-8", "application/x-yaml", "application/json"])(
    "accepts %s",
    async (contentType) => {
      const json = {
        apiVersion: "bellhop/v1",
        kind: "Workflow",
        name: "j",
        trigger: { type: "webhook" },
        definition: { nodes: [{ id: "a", type: "delay", seconds: 1 }], edges: [] },
      };
      const body = contentType.includes("json") ? JSON.stringify(json, null, "\t") : `\ufeff${file(PAUSE)}`;
      await dataOf(await send(body, "", contentType), 201, workflowSchema);
    },
  );

  test("as a dry run says what would happen, and saves nothing", async () => {
    const made = await createWorkflow(bellhop);
    const before = await count();
    const fine = await dataOf(await send(file(PAUSE), "?dryRun=true"), 200, importCheckSchema);
    expect(fine).toMatchObject({ valid: true, action: "create", errors: [], workflow: { name: "restart" } });
    // With defaults for the fields that the file leaves out, as a response is described.
    const { id } = await createConnection(bellhop, { name: "for a dry run" });
    expect(await undescribed(importWorkflow, await send(file(bash(id)), "?dryRun=true"))).toEqual([]);
    const replace = await dataOf(await send(file(PAUSE), `?dryRun=true&workflowId=${made.id}`), 200, importCheckSchema);
    expect(replace.action).toBe("replace");
    const bad = await dataOf(await send(file("  nodes: []\n"), "?dryRun=true"), 200, importCheckSchema);
    expect(bad).toMatchObject({
      valid: false,
      errors: [
        { path: "definition.nodes", line: 6, column: 3 },
        { path: "definition.edges", line: 5, column: 1 },
      ],
    });
    const broken = await dataOf(await send("a: [", "?dryRun=true"), 200, importCheckSchema);
    expect(broken).toMatchObject({ valid: false, errors: [{ line: 1 }] });
    expect(await count()).toBe(before);
    expect((await call(bellhop, "GET", `/workflows/${made.id}`)).status).toBe(200);
    await problemOf(await send(file(PAUSE), "?dryRun=maybe"), 400, "invalid_request");
    await problemOf(await send(file(PAUSE), "?dryRun=true&workflowId=wf_none"), 404, "not_found");
  });
});

describe("connections and workflows by name", () => {
  test("an existing id is used; another key is found by name and type", async () => {
    const other = await createConnection(bellhop, { name: "web" });
    await createConnection(bellhop, { name: "web", type: "osService" });
    const byName = file(bash("hosts"), "connections: {hosts: {name: web, type: script}}\n");
    const made = await dataOf(await send(byName), 201, workflowSchema);
    expect(made.definition.nodes[0]).toMatchObject({ connectionId: other.id });
    const stale = `connections: {${other.id}: {name: renamed since, type: script}}\n`;
    const byId = await dataOf(await send(file(bash(other.id), stale)), 201, workflowSchema);
    expect(byId.definition.nodes[0]).toMatchObject({ connectionId: other.id });
  });

  test("inside a forEach and for workflows, too", async () => {
    const host = await createConnection(bellhop, { name: "inner host" });
    const child = await createWorkflow(bellhop, { name: "an only child", trigger: { type: "manual" } });
    const body = `  nodes:
    - id: each
      type: forEach
      items: "{{webhook.hosts}}"
      body:
        nodes:
          - {id: run, type: action, action: script.bash, connectionId: host, params: {script: id}}
          - {id: sub, type: workflow, workflowId: child}
        edges: []
  edges: []
`;
    const names = "connections: {host: {name: inner host, type: script}}\nworkflows: {child: {name: an only child}}\n";
    const made = await dataOf(await send(file(body, names)), 201, workflowSchema);
    expect(made.definition.nodes[0]).toMatchObject({
      body: { nodes: [{ connectionId: host.id }, { workflowId: child.id }] },
    });
    const gone = names.replace("inner host", "outer host").replace("an only", "no");
    expect(await errorsOf(file(body, gone))).toEqual([
      {
        path: "definition.nodes.0.body.nodes.0.connectionId",
        message: expect.stringContaining('"inner host"'),
        line: 14,
        column: 58,
      },
      {
        path: "definition.nodes.0.body.nodes.1.workflowId",
        message: expect.stringContaining('"an only child"'),
        line: 15,
        column: 39,
      },
    ]);
  });

  test("an ambiguous or unknown name, or one of another type, is refused with the existing names", async () => {
    const twins = [
      await createConnection(bellhop, { name: "twin" }),
      await createConnection(bellhop, { name: "twin" }),
    ];
    const named = (name: string, type = "script") =>
      file(bash("x"), `connections: {x: {name: ${name}, type: ${type}}}\n`);
    const [ambiguous] = await errorsOf(named("twin"));
    expect(ambiguous?.path).toBe("definition.nodes.0.connectionId");
    for (const { id } of twins) expect(ambiguous?.message).toContain(id);
    const chat = await createConnection(bellhop, {
      name: "alerts",
      type: "chat",
      config: { defaultChannel: "C024BE91L" },
    });
    expect((await errorsOf(named(chat.name)))[0]?.message).toContain("there is one of type chat");
    expect((await errorsOf(named("no-such-workflow")))[0]?.message).toContain('"twin"');
    expect(await errorsOf(file(bash("con_gone")))).toEqual([
      {
        path: "definition.nodes.0.connectionId",
        message: expect.stringContaining("no connection con_gone"),
        line: 10,
        column: 7,
      },
    ]);
  });
});

describe("importing refuses", () => {
  test("an approver who is not a user of this deployment, with the line", async () => {
    const ask =
      '  nodes: [{id: ask, type: approval, message: "?", approvers: {people: [usr_elsewhere]}}]\n  edges: []\n';
    expect(await errorsOf(file(ask))).toMatchObject([{ path: "definition.nodes.0.approvers.people.0", line: 6 }]);
  });

  test("a file with several problems of the file and of the graph, each with its line", async () => {
    const body = `apiVersion: bellhop/v2
kind: Workflow
trigger:
  type: cron
  expression: "99 * * * *"
colour: red
definition:
  nodes:
    - {id: a, type: delay, seconds: 1}
    - id: b
      type: delay
      seconds: "5"
    - {id: a, type: delay, seconds: 1}
  edges:
    - {from: a, to: nowhere, on: success}
`;
    const errors = await errorsOf(body);
    expect(errors.map(({ path, line }) => [path, line]).sort()).toEqual(
      [
        ["apiVersion", 1],
        ["colour", 6],
        ["definition.edges.0.to", 15],
        ["definition.nodes.2.id", 13],
        ["definition.nodes.1.seconds", 12],
        ["name", 1],
        ["trigger.expression", 5],
      ].sort(),
    );
  });

  test.each<[string, string, number, string]>([
    ["", "", 400, "invalid_request"],
    ["just text", "just text", 400, "invalid_request"],
    ["a list", "- 1\n", 400, "invalid_request"],
    ["broken YAML", "name: [1\n", 400, "invalid_request"],
    ["a file that is too large", `# ${"x".repeat(1_024 * 1_024)}\n`, 413, "payload_too_large"],
  ])("%s", async (_what, body, status, code) => {
    await problemOf(await send(body), status, code);
  });

  test("other content types, compressed bodies and bytes that are not UTF-8", async () => {
    await problemOf(await send(file(PAUSE), "", "text/plain"), 415, "unsupported_media_type");
    await problemOf(await send(new TextEncoder().encode(file(PAUSE)), "", null), 415, "unsupported_media_type");
    await problemOf(await send(Uint8Array.from([0x61, 0x3a, 0x20, 0xff])), 400, "invalid_request");
  });

  test("the wrong method and an anonymous caller", async () => {
    await problemOf(await call(bellhop, "PUT", "/workflows/import"), 405, "method_not_allowed");
    const anonymous = await fetch(`${bellhop.url}/api/v1/automation/workflows/import`, {
      method: "POST",
      body: "a: 1",
    });
    await problemOf(anonymous, 401, "unauthorized");
  });
});
