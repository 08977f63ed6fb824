import {
  connectionSchema,
  createConnectionSchema,
  deleteQuerySchema,
  deletedSchema,
  pageQuerySchema,
  updateConnectionSchema,
} from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Connections";

export const listConnections = {
  id: "listConnections",
  method: "GET",
  path: "/api/v1/automation/connections",
  tag,
  summary: "List connections",
  description: "Newest first, each with how far the delivery of its credential is.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: connectionSchema },
} as const satisfies Operation;

export const createConnection = {
  id: "createConnection",
  method: "POST",
  path: "/api/v1/automation/connections",
  tag,
  summary: "Create a connection",
  description:
    "`config` is that of its type (the components named `…Config`) and holds no secret: that is delivered to the agents of the connection, sealed for each. Types that run code (ssh, winrm, script, custom, database, http, kubernetes) need the permission `code:write` too, and a `usableBy` other than null `credentials:write`.",
  access: "connections:write",
  body: createConnectionSchema,
  example: {
    name: "Web servers",
    type: "ssh",
    config: { host: "web-1.internal", username: "deploy", authMethod: "privateKey" },
    poolId: "web",
  },
  answer: { kind: "data", status: 201, data: connectionSchema },
  idempotent: true,
  creates: "connection",
} as const satisfies Operation;

export const getConnection = {
  id: "getConnection",
  method: "GET",
  path: "/api/v1/automation/connections/{id}",
  tag,
  summary: "Show a connection",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: connectionSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const updateConnection = {
  id: "updateConnection",
  method: "PATCH",
  path: "/api/v1/automation/connections/{id}",
  tag,
  summary: "Edit a connection",
  description:
    "Changes what the body names and leaves the rest. `config` is replaced as a whole; the type stays what it is. It holds from the next job on. A change of where the connection leads (its host, port, address, user name …) makes its credential `pending` until it is delivered again: it was sealed for its target. `config`, `agentId` and `poolId` of a connection that runs code need the permission `code:write` too. A change of `usableBy` needs `credentials:write` and takes effect at the next job; a list of workflows alone is part of the target.",
  access: "connections:write",
  body: updateConnectionSchema,
  example: { config: { host: "web-2.internal", username: "deploy", authMethod: "privateKey" } },
  answer: { kind: "data", status: 200, data: connectionSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteConnection = {
  id: "deleteConnection",
  method: "DELETE",
  path: "/api/v1/automation/connections/{id}",
  tag,
  summary: "Delete a connection",
  description:
    "Its credential is deleted from every agent that has it, with that agent's next synchronisation. A connection that published workflows use is kept, and a `conflict` names them, unless `force` says otherwise.",
  access: "connections:write",
  query: deleteQuerySchema,
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const enableConnection = {
  id: "enableConnection",
  method: "POST",
  path: "/api/v1/automation/connections/{id}/enable",
  tag,
  summary: "Enable a connection",
  description: "Safe to repeat.",
  access: "connections:write",
  answer: { kind: "data", status: 200, data: connectionSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const disableConnection = {
  id: "disableConnection",
  method: "POST",
  path: "/api/v1/automation/connections/{id}/disable",
  tag,
  summary: "Disable a connection",
  description: "Workflows cannot choose it, and those that use it fail when they run. Safe to repeat.",
  access: "connections:write",
  answer: { kind: "data", status: 200, data: connectionSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;
