import { z } from "zod";
import {
  NOTICE_LINES_MAX,
  RULE_ENTRIES_MAX,
  RULE_GROUP_DEFAULT_MINUTES,
  RULE_GROUP_MAX_MINUTES,
  RULE_MINUTES_MAX,
  RULE_RECEIVERS_MAX,
} from "../limits.ts";
import { poolIdSchema } from "./ids.ts";
import { nameSchema } from "./name.ts";
import { fieldErrorSchema } from "./problem.ts";
import { workflowTagSchema } from "./workflow-tags.ts";

/** Rules that report what happens to receivers (docs/notifications.md#rules). */
export const RULE_EVENTS = [
  "run_failed",
  "schedule_disabled",
  "approval_waiting",
  "limit_reached",
  "agent_offline",
  "pool_offline",
  "queue_old",
  "credential_failed",
  "database_trouble",
] as const;
export type RuleEvent = (typeof RULE_EVENTS)[number];

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/u, "must be a time such as 22:00");
const isUnique = (list: readonly unknown[]) => new Set(list).size === list.length;
const unique = "must not name anything twice";

export const quietHoursSchema = z
  .strictObject({
    timeZone: z.string().min(1).max(64).describe("The IANA name of a time zone, such as `Europe/Berlin`."),
    from: clock,
    to: clock.describe("A time before `from` is one of the next day."),
    days: z
      .array(z.enum(WEEKDAYS))
      .min(1)
      .max(WEEKDAYS.length)
      .refine(isUnique, unique)
      .optional()
      .describe("The days on which quiet hours begin. Without it: every day."),
  })
  .refine(({ from, to }) => from !== to, { path: ["to"], message: "must differ from `from`" })
  .describe("Notices of these hours are kept, and sent together at their end.");
export type QuietHours = z.infer<typeof quietHoursSchema>;

const list = <T extends z.ZodType>(entry: T) =>
  z.array(entry).min(1).max(RULE_ENTRIES_MAX).refine(isUnique, unique).optional();

export const ruleScopeSchema = z
  .strictObject({
    everything: z.literal(true).optional(),
    tags: list(workflowTagSchema),
    workflowIds: list(z.string().min(1).max(64)),
  })
  .refine((scope) => Object.values(scope).filter((part) => part !== undefined).length === 1, {
    message: "must have one of: everything, tags, workflowIds",
  })
  .describe("The workflows: every one, those with one of these tags, or these.");
export type RuleScope = z.infer<typeof ruleScopeSchema>;

const common = {
  name: nameSchema,
  enabled: z.boolean().default(true),
  receivers: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(RULE_RECEIVERS_MAX)
    .refine(isUnique, unique)
    .describe("The ids of notification receivers."),
  quietHours: quietHoursSchema.nullish(),
  groupMinutes: z
    .int()
    .min(0)
    .max(RULE_GROUP_MAX_MINUTES)
    .default(RULE_GROUP_DEFAULT_MINUTES)
    .describe(
      "The first notice is sent at once. Further ones within this time are sent as one message at its end. 0: each notice is a message.",
    ),
};
const scope = ruleScopeSchema.default({ everything: true });
const minutes = z
  .int()
  .min(1)
  .max(RULE_MINUTES_MAX)
  .describe("How long it must last. Its end is reported, too, when its beginning was.");
const poolIds = list(poolIdSchema).describe("Only these pools. Without it: every pool, and agents without one.");

const FIELDS = {
  run_failed: {
    ...common,
    on: z.literal("run_failed").describe("An execution failed that is no sub-workflow."),
    scope,
    when: z
      .enum(["first", "every"])
      .default("first")
      .describe("`first`: the first failure of a workflow after a success, or its first execution."),
    recovered: z.boolean().default(true).describe("Whether the first success after a failure is reported, too."),
  },
  schedule_disabled: {
    ...common,
    on: z.literal("schedule_disabled").describe("The service switched a schedule off after repeated failures."),
    scope,
  },
  approval_waiting: {
    ...common,
    on: z.literal("approval_waiting").describe("An execution waits for a person's approval."),
    scope,
  },
  limit_reached: {
    ...common,
    on: z.literal("limit_reached").describe("An execution ended with `limit_reached`, or waits for its approval."),
    scope,
  },
  agent_offline: {
    ...common,
    on: z.literal("agent_offline").describe("An enabled agent that has worked before is offline."),
    minutes: minutes.default(5),
    poolIds,
  },
  pool_offline: {
    ...common,
    on: z.literal("pool_offline").describe("All enabled agents of a pool are offline."),
    minutes: minutes.default(5),
    poolIds,
  },
  queue_old: {
    ...common,
    on: z.literal("queue_old").describe("A job waits for an agent."),
    minutes: minutes.default(15),
    poolIds,
  },
  credential_failed: {
    ...common,
    on: z
      .literal("credential_failed")
      .describe("An agent refused a credential or did not fetch it in time, or a target refused a login."),
  },
  database_trouble: {
    ...common,
    on: z.literal("database_trouble").describe("The service cannot read its database."),
    minutes: minutes.default(2),
  },
} satisfies Record<RuleEvent, z.ZodRawShape>;

export const notificationRuleInputSchema = z.discriminatedUnion("on", [
  z.strictObject(FIELDS.run_failed),
  z.strictObject(FIELDS.schedule_disabled),
  z.strictObject(FIELDS.approval_waiting),
  z.strictObject(FIELDS.limit_reached),
  z.strictObject(FIELDS.agent_offline),
  z.strictObject(FIELDS.pool_offline),
  z.strictObject(FIELDS.queue_old),
  z.strictObject(FIELDS.credential_failed),
  z.strictObject(FIELDS.database_trouble),
]);
export type NotificationRuleInput = z.infer<typeof notificationRuleInputSchema>;

const shown = {
  id: z.string(),
  lastFailure: z
    .object({ at: z.iso.datetime(), receiverId: z.string(), detail: z.string() })
    .nullable()
    .describe(
      "The last notice of this rule that could not be delivered, or not yet; null without one since the last delivery.",
    ),
  warnings: z
    .array(fieldErrorSchema)
    .optional()
    .describe("In answers to a save: possible mistakes, such as a tag that no workflow has."),
  /** Rises with every edit; the first part of the `ETag`. */
  revision: z.int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
};
export const notificationRuleSchema = z.discriminatedUnion("on", [
  z.object({ ...FIELDS.run_failed, ...shown }),
  z.object({ ...FIELDS.schedule_disabled, ...shown }),
  z.object({ ...FIELDS.approval_waiting, ...shown }),
  z.object({ ...FIELDS.limit_reached, ...shown }),
  z.object({ ...FIELDS.agent_offline, ...shown }),
  z.object({ ...FIELDS.pool_offline, ...shown }),
  z.object({ ...FIELDS.queue_old, ...shown }),
  z.object({ ...FIELDS.credential_failed, ...shown }),
  z.object({ ...FIELDS.database_trouble, ...shown }),
]);
export type NotificationRuleView = z.infer<typeof notificationRuleSchema>;

export const noticeResultSchema = z.enum(["sending", "sent", "failed"]);
export type NoticeResult = z.infer<typeof noticeResultSchema>;

/** One message of a rule to one receiver. */
export const noticeSchema = z.object({
  id: z.string(),
  at: z.iso.datetime(),
  receiverId: z.string(),
  subject: z.string(),
  count: z.int().describe("How many events the message reports."),
  result: noticeResultSchema,
  detail: z.string().nullable().describe("Why it failed, or why it has not arrived yet."),
});
export type Notice = z.infer<typeof noticeSchema>;

/** Events of a rule that wait for their message. */
export const collectedEventsSchema = z.object({
  count: z.int(),
  subjects: z.array(z.string()).describe(`The first ${NOTICE_LINES_MAX} of them.`),
  sendAt: z.iso.datetime().describe("When they are sent as one message."),
  waitsFor: z
    .enum(["quiet_hours", "grouping", "receivers"])
    .describe(
      "`quiet_hours`: their end. `grouping`: the end of `groupMinutes`. `receivers`: too many messages are on their way; they are sent at `sendAt` or later.",
    ),
});
export type CollectedEvents = z.infer<typeof collectedEventsSchema>;

export const noticesSchema = z.object({
  collected: collectedEventsSchema.nullable().describe("Events that wait for their message; null without any."),
  notices: z.array(noticeSchema).describe("The last 50, newest first."),
});

export const ruleTestSchema = z.object({
  results: z
    .array(
      z.object({
        receiverId: z.string(),
        ok: z.boolean(),
        detail: z.string().nullable().describe("Why it failed, and what to do."),
      }),
    )
    .describe("By receiver, in the order of the rule."),
});
export type RuleTest = z.infer<typeof ruleTestSchema>;
