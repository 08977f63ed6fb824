import type { Operation } from "../operation.ts";
import {
  previewRetentionQuerySchema,
  retentionPeriodsSchema,
  retentionPreviewSchema,
  retentionSchema,
} from "../retention.ts";

const path = "/api/v1/automation/retention";
const tag = "Retention";

export const readRetention = {
  id: "readRetention",
  method: "GET",
  path,
  tag,
  summary: "Show how long records are kept",
  description:
    "The periods, and of each kind of record the number of rows, their size, their growth, the oldest one, and how many will be deleted until a day from now. Counts of rows are estimates.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: retentionSchema },
  etag: true,
} as const satisfies Operation;

export const setRetention = {
  id: "setRetention",
  method: "PUT",
  path,
  tag,
  summary: "Change how long records are kept",
  description:
    "A longer period takes effect at once. A shorter one takes effect after 24 hours; until then, setting the longer one again takes the change back. Deleted records cannot be restored.",
  access: "admin",
  body: retentionPeriodsSchema,
  example: {
    executionDays: 90,
    failedDays: 180,
    incidentDays: 400,
    auditDays: 400,
    missedRunDays: 30,
    deliveryDays: 30,
    lateResultDays: 30,
  },
  answer: { kind: "data", status: 200, data: retentionSchema },
  etag: true,
  errors: ["conflict"],
} as const satisfies Operation;

export const previewRetention = {
  id: "previewRetention",
  method: "GET",
  path: `${path}/preview`,
  tag,
  summary: "Show what other periods would delete",
  description:
    "Counts the rows that are due a day from now with these periods; executions with their sub-workflows. A period that is not given stays; with `workflowId`, it is the deployment's.",
  access: "automation:read",
  query: previewRetentionQuerySchema,
  answer: { kind: "data", status: 200, data: retentionPreviewSchema },
  errors: ["not_found"],
} as const satisfies Operation;
