import type { NotificationRuleInput, RuleEvent } from "../../../schema/contract/notification-rule.ts";

/** An enabled rule, as the Alerter keeps it. */
export interface ActiveRule {
  readonly id: string;
  /** Events from before this time are not reported (epoch ms): the rule did not exist, was off, or was about others. */
  readonly since: number;
  readonly rule: NotificationRuleInput;
}

/** Something that rules can report. Times are epoch milliseconds. */
export interface AlertEvent {
  readonly on: RuleEvent;
  /** The same however often the event is read: no rule reports it twice. */
  readonly key: string;
  readonly at: number;
  readonly workflow: EventWorkflow | null;
  /** Of `run_failed`: the place in a row of failures. */
  readonly failure?: "first" | "further" | "recovered";
  /** Of `run_failed`: the run's concurrency key, by which its row of failures is counted; null without one. */
  readonly runKey?: string | null;
  readonly line: AlertLine;
}

export interface EventWorkflow {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
}

/** What people read of an event. */
export interface AlertLine {
  readonly at: number;
  readonly subject: string;
  readonly details: readonly string[];
  /** The console's page; null without one. */
  readonly path: string | null;
}
