import { afterAll, beforeAll, expect, test } from "bun:test";
import { validateAnswerSchema } from "../../schema/contract/dry-run.ts";
import { workflowSchema } from "../../schema/contract/management.ts";
import { startApp } from "../support/bellhop.ts";
import type { Service } from "../support/bellhop.ts";
import { call, createConnection, createWorkflow, dataOf, problemOf, verb } from "../support/management-api.ts";

/** Warnings for templates that can be saved but may be mistakes. */
let bellhop: Service;
let connectionId: string;
beforeAll(async () => {
  bellhop = await startApp();
  connectionId = (await createConnection(bellhop)).id;
});
afterAll(() => bellhop.stop());

const SCRIPT = "cd /srv/{{incident.service}}\necho {{incident.title}}";
const PATH = "definition.nodes.0.params.script";
const body = (script = SCRIPT, env: Record<string, string> = {}) => ({
  name: "warned",
  trigger: { type: "incident", events: ["incident.created"] },
  definition: {
    nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params: { script, env } }],
    edges: [],
  },
});
/** The warnings of `SCRIPT`, in their order. */
const WARNINGS = [
  {
    path: PATH,
    message: expect.stringContaining("line 1: {{incident.service}} touches a slash"),
    fix: {
      title: expect.stringContaining("Use | required"),
      edits: [{ path: PATH, start: 26, end: 26, value: " | required" }],
    },
  },
  {
    path: PATH,
    message: expect.stringContaining("line 2: {{incident.title}} usually holds free text"),
    fix: {
      title: "Pass it in env as TITLE",
      edits: [
        { path: "definition.nodes.0.params.env.TITLE", value: "{{incident.title}}" },
        { path: PATH, start: 34, end: 52, value: '"$TITLE"' },
      ],
    },
  },
];

test("creating, replacing and publishing return warnings with a fix, and reading has none", async () => {
  const made = await createWorkflow(bellhop, body());
  expect(made.warnings).toEqual(WARNINGS);
  const replaced = await call(bellhop, "PUT", `/workflows/${made.id}`, body());
  expect((await dataOf(replaced, 200, workflowSchema)).warnings).toEqual(WARNINGS);
  expect((await verb(bellhop, made.id, "publish")).warnings).toEqual(WARNINGS);
  // Publishing an already published version returns its draft's warnings, too.
  expect((await verb(bellhop, made.id, "publish")).warnings).toEqual(WARNINGS);
  const read = await call(bellhop, "GET", `/workflows/${made.id}`);
  expect(await dataOf(read, 200, workflowSchema)).not.toHaveProperty("warnings");
});

test("a draft that is saved with warnings has the same ETag when it is read", async () => {
  const { id } = await createWorkflow(bellhop);
  const replaced = await call(bellhop, "PUT", `/workflows/${id}`, body());
  expect((await dataOf(replaced, 200, workflowSchema)).warnings).toEqual(WARNINGS);
  const read = await call(bellhop, "GET", `/workflows/${id}`);
  expect(replaced.headers.get("ETag")).toMatch(/^"2\./u);
  expect(read.headers.get("ETag")).toBe(replaced.headers.get("ETag"));
});

test("importing a file returns its workflow's warnings; problems keep their fix and line", async () => {
  const send = (script: string) =>
    fetch(`${bellhop.url}/api/v1/automation/workflows/import`, {
      method: "POST",
      headers: { Authorization: `Bearer ${bellhop.adminToken}`, "Content-Type": "application/yaml" },
      // JSON is valid YAML.
      body: JSON.stringify({ apiVersion: "bellhop/v1", kind: "Workflow", ...body(script) }),
    });
  expect((await dataOf(await send(SCRIPT), 201, workflowSchema)).warnings).toEqual(WARNINGS);
  const { errors } = await problemOf(await send("echo $(({{incident.tags.n}} + 1))"), 400, "invalid_request");
  expect(errors).toEqual([
    {
      path: PATH,
      message: expect.stringContaining("on a line with arithmetic"),
      line: 1,
      column: expect.any(Number),
      fix: {
        title: expect.stringContaining("Use | int"),
        edits: [{ path: PATH, start: 25, end: 25, value: " | int" }],
      },
    },
  ]);
});

test("validating returns both: problems block a draft, and warnings do not", async () => {
  const validate = async (script: string) =>
    dataOf(await call(bellhop, "POST", "/workflows/validate", body(script)), 200, validateAnswerSchema);
  expect(await validate(SCRIPT)).toEqual({ valid: true, errors: [], warnings: WARNINGS });
  const both = await validate(`${SCRIPT}\necho $\{{incident.host}}`);
  expect(both).toMatchObject({ valid: false, warnings: WARNINGS });
  expect(both.errors.map(({ path, message }) => [path, message])).toEqual([
    [PATH, expect.stringContaining("line 3: {{incident.host}} is right behind $")],
  ]);
});

test("the edits of a fix, made from the last to the first, give a draft without that warning", async () => {
  const { warnings = [] } = await createWorkflow(bellhop, body());
  let script = SCRIPT;
  const env: Record<string, string> = {};
  const edits = warnings.flatMap(({ fix }) => fix?.edits ?? []);
  for (const { path, start, end, value } of edits.toSorted((a, b) => (b.start ?? 0) - (a.start ?? 0))) {
    if (start === undefined || end === undefined) env[path.split(".").at(-1) ?? ""] = value;
    else script = script.slice(0, start) + value + script.slice(end);
  }
  expect(script).toBe('cd /srv/{{incident.service | required}}\necho "$TITLE"');
  expect((await createWorkflow(bellhop, body(script, env))).warnings).toEqual([]);
});
