import { ID_PREFIXES } from "../../../schema/contract/ids.ts";
import type { IdKind } from "../../../schema/contract/ids.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { subschema } from "./subschema.ts";
import type { JsonSchema } from "./types.ts";

const UUID = "01985f3a-7c5e-7b1a-9a3e-2f4b6c8d0e1f";
const DEEPEST = 14;

/** Sample values for fields of these names, in any shape. */
const BY_NAME: Readonly<Record<string, JsonValue>> = {
  agentId: `agt_${UUID}`,
  connectionId: `con_${UUID}`,
  workflowId: `wf_${UUID}`,
  versionId: `wfv_${UUID}`,
  publishedVersionId: `wfv_${UUID}`,
  executionId: `exe_${UUID}`,
  nodeRunId: `run_${UUID}`,
  jobId: `job_${UUID}`,
  poolId: "web",
  nodeId: "restart",
  lease: "1.7f3k2",
  host: "web-1",
  email: "ada@example.com",
  actor: "user:ada@example.com",
  apiKey: `bh${"0".repeat(10)}_${"0".repeat(43)}`,
  webhookKey: `wh${"0".repeat(22)}`,
  webhookSecret: `whs_${"0".repeat(43)}`,
  field: "severity",
  id: "restart",
  name: "web-1",
  title: "Disk almost full",
  action: "script.bash",
  from: "restart",
  to: "check",
  items: "{{webhook.hosts}}",
};
/** The kind of id in the `id` of a component. Other ids are names chosen by people. */
const ID_OF: Readonly<Record<string, IdKind>> = {
  Agent: "agent",
  AuditEntry: "audit",
  Connection: "connection",
  Execution: "execution",
  ExecutionSummary: "execution",
  Job: "job",
  JobForAgent: "job",
  NodeRun: "nodeRun",
  Token: "apiToken",
  User: "user",
  Workflow: "workflow",
  WorkflowVersion: "workflowVersion",
  Incident: "incident",
  IncidentDetail: "incident",
  IncidentEvent: "event",
  Integration: "integration",
};
const BY_FORMAT: Readonly<Record<string, string>> = {
  "date-time": "2026-01-05T12:00:00.000Z",
  email: "ada@example.com",
  uri: "https://bellhop.example.com/",
};
/** Tried in turn to match a pattern. */
const TEXTS = [
  "text",
  "1",
  "a1",
  "C0123456789",
  "job_1:1.7f3k2",
  "A".repeat(43),
  `bhe_${"0".repeat(43)}`,
  `evt_${UUID}`,
  "application/json",
];

/** A sample value for a schema: the required fields, and the first variant. */
export function sampleOf(
  schema: JsonSchema,
  resolve: (ref: string) => JsonSchema,
  { name = "", component = "", depth = 0 }: { name?: string; component?: string; depth?: number } = {},
): JsonValue {
  const next = (inner: JsonSchema, innerName = name) =>
    sampleOf(inner, resolve, { name: innerName, component, depth: depth + 1 });
  if (schema.$ref !== undefined) {
    const named = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
    return depth > DEEPEST
      ? null
      : sampleOf(resolve(schema.$ref), resolve, { name, component: named, depth: depth + 1 });
  }
  if (isJson(schema.default)) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0] ?? null;
  const [first] = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  if (first !== undefined) return next(first);
  const types = [schema.type ?? []].flat();
  switch (types.find((type) => type !== "null")) {
    case "object":
      return sampleObject(schema, next);
    case "array":
      return depth > DEEPEST ? [] : [next(subschema(schema.items) ?? {})];
    case "string":
      return sampleText(schema, name, component);
    case "integer":
    case "number":
      return Math.max(schema.minimum ?? 1, 1);
    case "boolean":
      return true;
    case undefined:
      return null;
  }
}

function sampleObject(schema: JsonSchema, next: (inner: JsonSchema, name?: string) => JsonValue): JsonObject {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name));
  return Object.fromEntries(fields.map(([name, inner]) => [name, next(subschema(inner) ?? {}, name)]));
}

function sampleText(schema: JsonSchema, name: string, component: string): string {
  const format = BY_FORMAT[schema.format ?? ""];
  if (format !== undefined) return format;
  const kind = name === "id" ? ID_OF[component] : undefined;
  const named = kind === undefined ? BY_NAME[name] : `${ID_PREFIXES[kind]}_${UUID}`;
  return [...(typeof named === "string" ? [named] : []), ...TEXTS].find((text) => fits(schema, text)) ?? "text";
}

function fits({ pattern, minLength = 0, maxLength = Infinity }: JsonSchema, text: string): boolean {
  const matches = pattern === undefined || new RegExp(pattern, "u").test(text);
  return matches && text.length >= minLength && text.length <= maxLength;
}

/** Defaults come from the contract, where they are JSON. */
function isJson(value: unknown): value is JsonValue {
  return value !== undefined;
}
