import {
  agentKeyAnswerSchema,
  agentSchema,
  createAgentSchema,
  createdAgentSchema,
  deletedSchema,
  pageQuerySchema,
  updateAgentSchema,
} from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Agents";

export const listAgents = {
  id: "listAgents",
  method: "GET",
  path: "/api/v1/automation/agents",
  tag,
  summary: "List agents",
  description: "Newest first, each with its status and health as its pool knows them now.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: agentSchema },
} as const satisfies Operation;

export const createAgent = {
  id: "createAgent",
  method: "POST",
  path: "/api/v1/automation/agents",
  tag,
  summary: "Create an agent",
  description: "The answer holds the agent's API key, which is shown this once: what is stored is its bcrypt hash.",
  access: "agents:write",
  body: createAgentSchema,
  example: { name: "web-1", description: "Rack 3", poolId: "web" },
  answer: { kind: "data", status: 201, data: createdAgentSchema },
  idempotent: "showsSecret",
  creates: "agent",
  lostSecret: "If it was lost, find the agent in the list and regenerate its key.",
} as const satisfies Operation;

export const getAgent = {
  id: "getAgent",
  method: "GET",
  path: "/api/v1/automation/agents/{id}",
  tag,
  summary: "Show an agent",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const updateAgent = {
  id: "updateAgent",
  method: "PATCH",
  path: "/api/v1/automation/agents/{id}",
  tag,
  summary: "Edit an agent",
  description:
    "Changes what the body names and leaves the rest; null takes a description or a pool away. An agent that holds jobs cannot get another pool: disable it and wait until it has finished.",
  access: "agents:write",
  body: updateAgentSchema,
  example: { description: "Rack 4", poolId: null },
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteAgent = {
  id: "deleteAgent",
  method: "DELETE",
  path: "/api/v1/automation/agents/{id}",
  tag,
  summary: "Delete an agent",
  description:
    "For good, and its key is refused from the next call on. What it had not fetched goes to other agents of its pool; what was meant for it alone fails.",
  access: "agents:write",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const regenerateAgentKey = {
  id: "regenerateAgentKey",
  method: "POST",
  path: "/api/v1/automation/agents/{id}/regenerate-key",
  tag,
  summary: "Give an agent another key",
  description:
    "The old key is refused from the next call on, and the agent's vault, which was encrypted under it, cannot be read any more: deliver its credentials again.",
  access: "agents:write",
  answer: { kind: "data", status: 201, data: agentKeyAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret: "If it was lost, regenerate the key again with a new Idempotency-Key.",
} as const satisfies Operation;

export const enableAgent = {
  id: "enableAgent",
  method: "POST",
  path: "/api/v1/automation/agents/{id}/enable",
  tag,
  summary: "Enable an agent",
  description: "It gets jobs again. Safe to repeat.",
  access: "agents:write",
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const disableAgent = {
  id: "disableAgent",
  method: "POST",
  path: "/api/v1/automation/agents/{id}/disable",
  tag,
  summary: "Disable an agent",
  description: "It gets no new jobs and keeps running; what it runs goes on to its end. Safe to repeat.",
  access: "agents:write",
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;
