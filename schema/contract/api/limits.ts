import { limitGroupInputSchema, limitGroupSchema, limitUsesSchema } from "../limit-group.ts";
import { deletedSchema, pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";

const tag = "Limits";
const path = "/api/v1/automation/limits";
const one = `${path}/{id}`;
const example = { name: "Restart a service", maxRuns: 3, periodSeconds: 3_600, whenReached: "end" };

export const listLimits = {
  id: "listLimits",
  method: "GET",
  path,
  tag,
  summary: "List limits",
  description: "Newest first.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: limitGroupSchema },
} as const satisfies Operation;

export const createLimit = {
  id: "createLimit",
  method: "POST",
  path,
  tag,
  summary: "Create a limit",
  description:
    "At most `maxRuns` runs with unsafe actions in any `periodSeconds`, for each key. Workflows name it in `definition.limits`, and count together. The name is unique. `warnings` says when no published workflow names it.",
  access: "connections:write",
  body: limitGroupInputSchema,
  example,
  answer: { kind: "data", status: 201, data: limitGroupSchema },
  idempotent: true,
  creates: "limitGroup",
  errors: ["conflict"],
} as const satisfies Operation;

export const getLimit = {
  id: "getLimit",
  method: "GET",
  path: one,
  tag,
  summary: "Show a limit",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: limitGroupSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const replaceLimit = {
  id: "replaceLimit",
  method: "PUT",
  path: one,
  tag,
  summary: "Replace a limit",
  description: "Applies from the next action on; uses of before count for the new period.",
  access: "connections:write",
  body: limitGroupInputSchema,
  example,
  answer: { kind: "data", status: 200, data: limitGroupSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteLimit = {
  id: "deleteLimit",
  method: "DELETE",
  path: one,
  tag,
  summary: "Delete a limit",
  description:
    "If published workflows name the limit, a `conflict` names them and nothing is deleted. Unsafe actions of running executions that name it then fail.",
  access: "connections:write",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const getLimitUses = {
  id: "getLimitUses",
  method: "GET",
  path: `${one}/uses`,
  tag,
  summary: "Show the uses of a limit",
  description: "The runs that count now, by key, and when the next run of each key is possible.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: limitUsesSchema },
  errors: ["not_found"],
} as const satisfies Operation;
