import {
  agentKeyAnswerSchema,
  agentSchema,
  createAgentSchema,
  createdAgentSchema,
  deletedSchema,
  enrolmentSchema,
  pageQuerySchema,
  updateAgentSchema,
} from "../management.ts";
import { verifyFingerprintSchema } from "../credential.ts";
import type { Operation } from "../operation.ts";

const tag = "Agents";

export const listAgents = {
  id: "listAgents",
  method: "GET",
  path: "/api/v1/automation/agents",
  tag,
  summary: "List agents",
  description: "Newest first, each with its present status and health.",
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
  description: "The answer has the agent's API key, which is shown only this once: the service stores its bcrypt hash.",
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
    "Changes the fields in the body and no others; null removes a description or a pool. An agent that holds jobs cannot get another pool: disable it and wait until it has finished.",
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
    "Permanently: its key is refused from the next call on. Jobs that it had not fetched go to other agents of its pool; jobs for this agent alone fail.",
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
    "The old key is refused from the next call on. The agent's vault was encrypted with it and becomes unreadable: deliver the agent's credentials again.",
  access: "agents:write",
  answer: { kind: "data", status: 201, data: agentKeyAnswerSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret: "If it was lost, regenerate the key again with a new Idempotency-Key.",
} as const satisfies Operation;

export const createEnrolment = {
  id: "createEnrolment",
  method: "POST",
  path: "/api/v1/automation/agents/{id}/enrolment",
  tag,
  summary: "Create an enrolment code",
  description:
    "For an agent that has never registered: its machine exchanges the code once for a new key, within an hour. The code replaces an earlier one. It is shown only this once: the service stores its SHA-256.",
  access: "agents:write",
  answer: { kind: "data", status: 201, data: enrolmentSchema },
  errors: ["not_found", "conflict"],
  idempotent: "showsSecret",
  lostSecret: "If it was lost, create another code with a new Idempotency-Key.",
} as const satisfies Operation;

export const verifyFingerprint = {
  id: "verifyFingerprint",
  method: "POST",
  path: "/api/v1/automation/agents/{id}/verify-fingerprint",
  tag,
  summary: "Record that an agent's fingerprint was compared",
  description:
    "Call it after you compared the fingerprint of the agent's key with the one that the agent prints on its machine. `fingerprintVerified` then names you, until the agent has another key. It is a hint for your team and never a proof. A `conflict` if the agent's present key has another fingerprint. Safe to repeat.",
  access: "credentials:write",
  body: verifyFingerprintSchema,
  example: { fingerprint: "HbTpEUmrXDPZLvxXiLdNcnBQkcM3SE_YyzMEUHIZFDo" },
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found", "conflict"],
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
  description: "It gets no new jobs; running jobs continue. Safe to repeat.",
  access: "agents:write",
  answer: { kind: "data", status: 200, data: agentSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;
