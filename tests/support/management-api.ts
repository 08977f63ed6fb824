import { expect } from "bun:test";
import { z } from "zod";
import { AGENT_API_PATH, SESSION_HEADER } from "../../schema/contract/agent.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import type { Problem } from "../../schema/contract/problem.ts";
import { webhookKeyAnswerSchema } from "../../schema/contract/webhook-verification.ts";
import { agentSchema, connectionSchema, workflowSchema } from "../../schema/contract/management.ts";
import type { AgentView, ConnectionView, WorkflowView } from "../../schema/contract/management.ts";
import type { AgentClient } from "./agent-client.ts";
import type { Service } from "./bellhop.ts";
import { isJsonObject } from "../../schema/contract/json-object.ts";
import { NEW_CONNECTION } from "./new-connection.ts";

/** The management API for tests: answers are checked against the contract. */
const BASE = "/api/v1/automation";

export function call(bellhop: Service, method: string, path: string, body?: unknown): Promise<Response> {
  return bellhop.api(method, `${BASE}${path}`, body);
}

/** `data` of an answer with this status and shape; unknown fields are refused. */
export async function dataOf<T>(response: Response, status: number, schema: z.ZodType<T>): Promise<T> {
  const text = await response.text();
  expect({ status: response.status, body: text }).toEqual({ status, body: text });
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const body: unknown = JSON.parse(text);
  expect(body).toMatchObject({ success: true });
  const data: unknown = isJsonObject(body) ? body["data"] : undefined;
  const parsed = schema.parse(data);
  // A schema that drops unknown fields must not hide a field that does not belong there.
  expect(Object.keys(isJsonObject(data) ? data : {}).sort()).toEqual(
    Object.keys(isJsonObject(parsed) ? parsed : {}).sort(),
  );
  return parsed;
}

export async function pageOf<T>(
  response: Response,
  item: z.ZodType<T>,
): Promise<{ items: T[]; nextCursor: string | null }> {
  expect(response.status).toBe(200);
  const body: unknown = await response.json();
  if (!isJsonObject(body) || !Array.isArray(body["data"])) throw new Error(`not a list: ${JSON.stringify(body)}`);
  expect(Object.keys(body).sort()).toEqual(["data", "nextCursor", "success"]);
  const cursor = body["nextCursor"];
  return {
    items: body["data"].map((entry) => item.parse(entry)),
    nextCursor: typeof cursor === "string" ? cursor : null,
  };
}

export async function problemOf(response: Response, status: number, code: string): Promise<Problem> {
  const text = await response.text();
  expect({ status: response.status, body: text }).toEqual({ status, body: text });
  expect(response.headers.get("Content-Type")).toBe("application/problem+json");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  const problem = problemSchema.parse(JSON.parse(text));
  expect(problem.code).toBe(code);
  return problem;
}

/** The paths of an invalid request's errors, sorted. */
export async function errorPathsOf(response: Response): Promise<string[]> {
  const problem = await problemOf(response, 400, "invalid_request");
  return (problem.errors ?? []).map((error) => error.path).sort();
}

export async function createAgent(bellhop: Service, body: object = {}): Promise<{ agent: AgentView; apiKey: string }> {
  const response = await call(bellhop, "POST", "/agents", { name: "an agent", ...body });
  return dataOf(response, 201, createdAgentSchema);
}

export async function createConnection(bellhop: Service, body: object = {}): Promise<ConnectionView> {
  const response = await call(bellhop, "POST", "/connections", {
    name: "scripts",
    type: "script",
    poolId: "p",
    ...body,
  });
  return dataOf(response, 201, connectionSchema);
}

/** One delay: a graph without dependencies. */
export const DELAY_DEFINITION = { nodes: [{ id: "pause", type: "delay", seconds: 3_600 }], edges: [] };

export async function createWorkflow(bellhop: Service, body: object = {}): Promise<WorkflowView> {
  const response = await call(bellhop, "POST", "/workflows", {
    name: "a workflow",
    trigger: { type: "webhook" },
    definition: DELAY_DEFINITION,
    ...body,
  });
  return dataOf(response, 201, workflowSchema);
}

export async function verb(bellhop: Service, id: string, name: string): Promise<WorkflowView> {
  return dataOf(await call(bellhop, "POST", `/workflows/${id}/${name}`), 200, workflowSchema);
}

export async function makeWebhookKey(bellhop: Service, id: string, body?: object) {
  const response = await call(bellhop, "POST", `/workflows/${id}/webhook-key`, body);
  return dataOf(response, 201, webhookKeyAnswerSchema.extend({ webhookSecret: z.string() }));
}

/** Calls a webhook with a new payload, which is no duplicate. */
export function ring(bellhop: Service, key: { webhookKey: string; webhookSecret: string }): Promise<Response> {
  return fetch(`${bellhop.url}${BASE}/webhooks/${key.webhookKey}`, {
    ...NEW_CONNECTION,
    method: "POST",
    headers: { Authorization: `Bearer ${key.webhookSecret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ variables: { nonce: crypto.randomUUID() } }),
  });
}

/** The status of the answer to a registered agent's heartbeat. */
export async function heartbeatStatus(bellhop: Service, client: AgentClient): Promise<number> {
  const response = await fetch(`${bellhop.url}${AGENT_API_PATH}/heartbeat`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${client.key}`,
      "Content-Type": "application/json",
      [SESSION_HEADER]: client.session ?? "",
    },
    body: JSON.stringify({ held: [], load: 0, version: "1", credentials: [] }),
  });
  return response.status;
}

const createdAgentSchema = z.object({ agent: agentSchema, apiKey: z.string() });
