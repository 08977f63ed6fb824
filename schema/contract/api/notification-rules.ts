import { deletedSchema, pageQuerySchema } from "../management.ts";
import {
  noticesSchema,
  notificationRuleInputSchema,
  notificationRuleSchema,
  ruleTestSchema,
} from "../notification-rule.ts";
import type { Operation } from "../operation.ts";

const tag = "Notifications";
const path = "/api/v1/automation/notification-rules";
const one = `${path}/{id}` as const;
const example = {
  name: "Failures at night",
  on: "run_failed",
  when: "first",
  scope: { tags: ["payments"] },
  receivers: ["ntr_0199a0b8-0000-7000-8000-000000000000"],
  quietHours: { timeZone: "Europe/Berlin", from: "22:00", to: "07:00" },
};

export const listNotificationRules = {
  id: "listNotificationRules",
  method: "GET",
  path,
  tag,
  summary: "List notification rules",
  description: "Newest first.",
  access: "automation:read",
  query: pageQuerySchema,
  answer: { kind: "page", item: notificationRuleSchema },
} as const satisfies Operation;

export const createNotificationRule = {
  id: "createNotificationRule",
  method: "POST",
  path,
  tag,
  summary: "Create a notification rule",
  description:
    "Sends a message to each of its receivers when its event happens. It reports events from its creation on. The name is unique. `warnings` names tags that no workflow has.",
  access: "admin",
  body: notificationRuleInputSchema,
  example,
  answer: { kind: "data", status: 201, data: notificationRuleSchema },
  idempotent: true,
  creates: "notificationRule",
  errors: ["conflict"],
} as const satisfies Operation;

export const getNotificationRule = {
  id: "getNotificationRule",
  method: "GET",
  path: one,
  tag,
  summary: "Show a notification rule",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: notificationRuleSchema },
  errors: ["not_found"],
  etag: true,
} as const satisfies Operation;

export const replaceNotificationRule = {
  id: "replaceNotificationRule",
  method: "PUT",
  path: one,
  tag,
  summary: "Replace a notification rule",
  description:
    "Replaces all fields. A rule that is switched on, or whose `on` changes, reports events from then on. Events that it has collected are sent as the changed rule says.",
  access: "admin",
  body: notificationRuleInputSchema,
  example,
  answer: { kind: "data", status: 200, data: notificationRuleSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const deleteNotificationRule = {
  id: "deleteNotificationRule",
  method: "DELETE",
  path: one,
  tag,
  summary: "Delete a notification rule",
  description: "Events that it has collected are not sent.",
  access: "admin",
  answer: { kind: "data", status: 200, data: deletedSchema },
  errors: ["not_found", "conflict"],
  etag: true,
} as const satisfies Operation;

export const testNotificationRule = {
  id: "testNotificationRule",
  method: "POST",
  path: `${one}/test`,
  tag,
  summary: "Send a test of a notification rule",
  description:
    "Sends one example to each receiver at once, also in quiet hours and while the rule is off. At most 10 tests a minute for each rule.",
  access: "admin",
  answer: { kind: "data", status: 200, data: ruleTestSchema },
  errors: ["not_found", "rate_limit_exceeded"],
} as const satisfies Operation;

export const getNotices = {
  id: "getNotices",
  method: "GET",
  path: `${one}/notices`,
  tag,
  summary: "Show the last notices of a rule",
  description:
    "The last 50 messages, one for each receiver, with their results; newest first. `collected` has the events that wait for quiet hours to end, or for further ones.",
  access: "automation:read",
  answer: { kind: "data", status: 200, data: noticesSchema },
  errors: ["not_found"],
} as const satisfies Operation;
