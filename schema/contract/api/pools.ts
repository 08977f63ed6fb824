import { pageQuerySchema, poolSchema, poolSummarySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Pools";

export const listPools = {
  id: "listPools",
  method: "GET",
  path: "/api/v1/automation/pools",
  tag,
  summary: "List pools",
  description: "Every pool of an agent or a connection, with the number of its agents, ordered by id.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: poolSummarySchema },
} as const satisfies Operation;

export const getPool = {
  id: "getPool",
  method: "GET",
  path: "/api/v1/automation/pools/{id}",
  tag,
  summary: "Show a pool",
  description: "Its members with status and health, its queue, and why each job waits.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: poolSchema },
  errors: ["not_found"],
} as const satisfies Operation;
