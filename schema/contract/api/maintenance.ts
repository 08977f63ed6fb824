import {
  beginSuppressedSchema,
  begunSuppressedSchema,
  suppressedExecutionSchema,
  listMaintenanceWindowsQuerySchema,
  maintenanceWindowSchema,
  setMaintenanceWindowSchema,
} from "../maintenance.ts";
import { deletedSchema, pageQuerySchema } from "../management.ts";
import type { Operation } from "../operation.ts";
import { triggerAnswerSchema } from "../webhook.ts";

const path = "/api/v1/automation/maintenance-windows";
const one = `${path}/{id}` as const;
const tag = "Maintenance";
const example = {
  name: "Failover of the storage cluster",
  reason: "Alerts are expected until 06:00.",
  startsAt: "2026-12-01T22:00:00Z",
  endsAt: "2026-12-02T06:00:00Z",
  mode: "hold",
  tags: ["storage"],
  services: ["checkout"],
};

export const listMaintenanceWindows = {
  id: "listMaintenanceWindows",
  method: "GET",
  path,
  tag,
  summary: "List maintenance windows",
  description: "Newest first.",
  access: "automation:read",
  query: listMaintenanceWindowsQuerySchema,
  answer: { kind: "page", item: maintenanceWindowSchema },
} as const satisfies Operation;

export const createMaintenanceWindow = {
  id: "createMaintenanceWindow",
  method: "POST",
  path,
  tag,
  summary: "Create a maintenance window",
  description:
    "While it is open, runs that an event or a schedule starts are held, skipped or wait for a person. It takes effect within 5 seconds, and begins and ends at its times. Where several windows apply, `skip` comes before `ask`, and `ask` before `hold`.",
  access: "automation:execute",
  body: setMaintenanceWindowSchema,
  example,
  answer: { kind: "data", status: 201, data: maintenanceWindowSchema },
  errors: ["conflict"],
  idempotent: true,
  creates: "maintenanceWindow",
} as const satisfies Operation;

export const getMaintenanceWindow = {
  id: "getMaintenanceWindow",
  method: "GET",
  path: one,
  tag,
  summary: "Show a maintenance window",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: maintenanceWindowSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const replaceMaintenanceWindow = {
  id: "replaceMaintenanceWindow",
  method: "PUT",
  path: one,
  tag,
  summary: "Change a maintenance window",
  description:
    "Replaces all fields. An `endsAt` that is not in the future ends the window: held runs begin. Runs that are held follow the change; skipped ones and those that wait for a person do not.",
  access: "automation:execute",
  body: setMaintenanceWindowSchema,
  example,
  answer: { kind: "data", status: 200, data: maintenanceWindowSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteMaintenanceWindow = {
  id: "deleteMaintenanceWindow",
  method: "DELETE",
  path: one,
  tag,
  summary: "Delete a maintenance window",
  description:
    "Ends it, too: held runs begin, and runs that wait for a person go on waiting. Its list of suppressed runs is gone.",
  access: "automation:execute",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const listSuppressed = {
  id: "listSuppressed",
  method: "GET",
  path: `${one}/suppressed`,
  tag,
  summary: "List what a maintenance window suppressed",
  description:
    "The executions that it held, asked about or skipped, newest first. One that several windows held, one after the other, is in the list of the last one.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: suppressedExecutionSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const beginAllSuppressed = {
  id: "beginAllSuppressed",
  method: "POST",
  path: `${one}/begin`,
  tag,
  summary: "Run what a maintenance window suppressed",
  description:
    "The oldest first, 50 in one call: repeat the call with `next` as `after` until that is null. Held and asked executions begin now, and skipped ones are started again with the same trigger, each once.",
  access: "automation:execute",
  body: beginSuppressedSchema,
  answer: { kind: "data", status: 200, data: begunSuppressedSchema },
  errors: ["not_found"],
} as const satisfies Operation;

export const beginExecution = {
  id: "beginExecution",
  method: "POST",
  path: "/api/v1/automation/executions/{id}/begin",
  tag,
  summary: "Run an execution that a maintenance window suppressed",
  description:
    "A held or asked execution begins now, also while windows are open. For a skipped one, another is started with the same trigger. A repeated call answers with the same execution.",
  access: "automation:execute",
  answer: { kind: "data", status: 200, data: triggerAnswerSchema },
  errors: ["not_found", "conflict"],
} as const satisfies Operation;
