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
  description: "Newest first, each with the delivery state of its credential.",
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
    "`config` has the shape of its type (the components `…Config`) and contains no secret: secrets are delivered to the connection's agents, sealed for each. Types that run code (ssh, winrm, script, custom, database, redis, http, kubernetes) also need the permission `code:write`, and a `usableBy` other than null needs `credentials:write`.",
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
    "Changes the fields in the body and no others. `config` is replaced as a whole; the type cannot change. The change applies from the next job on. A change of the target (host, port, address, user name …) makes the credential `pending` until it is delivered again, because it was sealed for the old target. Changing `config`, `agentId` or `poolId` of a connection that runs code also needs the permission `code:write`. Changing `usableBy` needs `credentials:write`; a list of only workflows is part of the target.",
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
    "Its credential is deleted from every agent at that agent's next synchronisation. If published workflows use the connection, a `conflict` names them and nothing is deleted, unless `force` is set.",
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
  description: "Workflows cannot select it, and workflows that use it fail when they run. Safe to repeat.",
  access: "connections:write",
  answer: { kind: "data", status: 200, data: connectionSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;
