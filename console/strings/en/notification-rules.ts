import type { ReactNode } from "react";
import type {
  CollectedEvents,
  NoticeResult,
  NotificationRuleInput,
  RuleEvent,
} from "../../../schema/contract/notification-rule.ts";
import { count, list } from "../format.ts";
import { rich } from "../rich.ts";

type When = Extract<NotificationRuleInput, { on: "run_failed" }>["when"];
export type ScopeKind = "everything" | "tags" | "workflowIds";

/** Rules that say what is reported to which receivers. */
export const notificationRules = {
  title: "Rules",
  intro: "A rule sends a message to its receivers when its event happens.",
  create: "New rule",
  none: {
    title: "No rules yet",
    what: "A rule reports failed executions, waiting approvals, offline agents and more.",
  },
  on: {
    run_failed: "An execution fails",
    schedule_disabled: "A schedule is switched off after failures",
    approval_waiting: "An approval waits",
    limit_reached: "A limit is reached",
    agent_offline: "An agent is offline",
    pool_offline: "All agents of a pool are offline",
    queue_old: "A job waits too long for an agent",
    credential_failed: "A credential is refused or does not reach its agent",
    database_trouble: "The database does not answer",
  } satisfies Record<RuleEvent, string>,
  columns: { event: "Event", about: "About", receivers: "Receivers", state: "State" },
  everything: "All workflows",
  allPools: "All pools",
  deployment: "The deployment",
  names: (names: readonly string[]) => list(names),
  states: { on: "On", off: "Off" },
  quiet: ({ from, to }: { from: string; to: string }) => `Quiet ${from}–${to}`,
  lastFailed: (time: ReactNode) => rich`Last delivery failed ${time}`,
  notices: "Messages",
  noticesOf: (name: string) => `Messages of ${name}`,
  test: "Send a test",
  testOf: (name: string) => `Send a test of ${name}`,
  edit: (name: string) => `Edit ${name}`,
  form: {
    exampleName: "Failed payments",
    event: "Report when",
    when: "Which failures",
    whens: {
      first: "The first after a success",
      every: "Every failure",
    } satisfies Record<When, string>,
    recovered: "Report the next success, too",
    scope: "Workflows",
    scopes: {
      everything: "All workflows",
      tags: "Workflows with a tag",
      workflowIds: "Some workflows",
    } satisfies Record<ScopeKind, string>,
    tags: "Tags",
    unusedTags: (tags: readonly string[]) =>
      tags.length === 1 ? `No workflow has the tag ${list(tags)} yet.` : `No workflow has the tags ${list(tags)} yet.`,
    workflows: "Chosen workflows",
    minutes: "For at least (minutes)",
    minutesHint: "The end is reported, too.",
    pools: "Pools",
    poolsHint: "Empty: all pools, and agents without one.",
    receivers: "Receivers",
    noReceivers: "There are no receivers yet. Create one first.",
    groupMinutes: "Collect further events for (minutes)",
    groupMinutesHint: "The first message is sent at once. 0: each event is a message.",
    quiet: "Quiet hours",
    quietHint: "Events of these hours are sent together at their end.",
    from: "From",
    to: "Until",
    sameTime: "Must be another time than From.",
    days: "Days on which they begin",
    daysHint: "Empty: every day.",
    enabled: "On",
    created: (name: string) => `${name} was created`,
    saved: (name: string) => `${name} was saved`,
  },
  deleteEffect: "Events that it has collected are not sent.",
  messages: {
    intro: "The last 50 messages, newest first.",
    none: "This rule has sent no message yet.",
    events: (events: number) => count(events, "event"),
    collected: (events: number) => `${count(events, "event waits", "events wait")} to be sent as one message`,
    more: (events: number) => `and ${count(events, "further event")}`,
    waitsFor: {
      quiet_hours: (time: string) => `Quiet hours until ${time}`,
      grouping: (time: string) => `Further events are collected until ${time}`,
      receivers: (time: string) => `Many messages to the receivers are on their way. Next try: ${time}`,
    } satisfies Record<CollectedEvents["waitsFor"], (time: string) => string>,
    results: { sending: "Sending", sent: "Sent", failed: "Failed" } satisfies Record<NoticeResult, string>,
    deleted: "Deleted receiver",
  },
  tested: {
    title: (name: string) => `Test of ${name}`,
    failed: (name: string) => `The test of ${name} was not sent`,
    sent: "Sent",
    notSent: "Failed",
  },
};
