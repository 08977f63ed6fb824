import type { ReactNode } from "react";
import type { DueRows, RetainedKind, RetentionPeriods } from "../../../schema/contract/retention.ts";
import { atLeast, count, list } from "../format.ts";
import { rich } from "../rich.ts";

/** What is due of each kind. */
type Due = readonly { kind: RetainedKind; due: DueRows }[];

const periods = {
  executionDays: "Executions",
  failedDays: "Failed executions",
  incidentDays: "Resolved incidents",
  auditDays: "Audit log",
  missedRunDays: "Missed runs",
  deliveryDays: "Repeated deliveries",
  lateResultDays: "Late results",
} satisfies Record<keyof RetentionPeriods, string>;

const ones = {
  executions: "execution",
  incidents: "incident",
  audit: "audit entry",
  missedRuns: "missed run",
  deliveries: "delivery record",
  lateResults: "late result",
} satisfies Record<RetainedKind, string>;

function amounts(due: Due): string {
  return list(
    due.map(({ kind, due: { rows, isMore } }) => {
      const all = kind === "audit" ? count(rows, ones.audit, "audit entries") : count(rows, ones[kind]);
      return isMore ? `more than ${all}` : all;
    }),
  );
}

/** How long records are kept. */
export const retention = {
  intro: "Bellhop deletes records when their time is over. Running executions and open incidents are never deleted.",
  periods,
  days: (value: number) => count(value, "day"),
  table: {
    label: "Records",
    records: "Records",
    kept: "Kept for",
    rows: "Rows",
    size: "Size",
    growth: "New per day",
    oldest: "Oldest",
    nextDay: "Deleted in the next 24 h",
    kinds: {
      executions: "Executions",
      incidents: "Incidents",
      audit: "Audit entries",
      missedRuns: "Missed runs",
      deliveries: "Repeated deliveries",
      lateResults: "Late results",
    } satisfies Record<RetainedKind, string>,
    executionsKept: (ended: number, failed: number) =>
      ended === failed ? count(ended, "day") : `${count(ended, "day")}, failed ${count(failed, "day")}`,
    unknown: "Not counted yet",
    due: ({ rows, isMore }: DueRows) => atLeast(rows, isMore),
  },
  counted: (when: ReactNode) => rich`Rows were last counted ${when}; the numbers are estimates.`,
  lastPass: (when: ReactNode, rows: number, took: string) =>
    rich`The last deletion was ${when}: ${count(rows, "row")} in ${took}, with everything that belongs to the records.`,
  noPass: "Nothing was deleted yet.",
  exports: {
    paused: (kind: string) => `${kind} are not deleted`,
    failing: (since: string) => `Their export has been failing since ${since}:`,
    retry: (when: string) => `Next try: ${when}.`,
    none: (kind: string) => `${kind} are exported before they are deleted. None was exported yet.`,
    done: (kind: string, rows: number, bytes: string, when: ReactNode) =>
      rich`${kind} are exported before they are deleted: ${count(rows, "row")} (${bytes}), last ${when}.`,
  },
  pending: {
    title: "Shorter periods are pending",
    until: (when: string) => `Until ${when}, these longer periods apply:`,
    change: (name: string, before: number, after: number) =>
      `${name}: ${count(before, "day")}, then ${count(after, "day")}`,
    keep: "Keep the longer periods",
    kept: "The longer periods apply.",
    failed: "The periods were not changed",
  },
  dialog: {
    open: "Change periods",
    title: "Change periods",
    days: (name: string) => `${name} (days)`,
    submit: "Change periods",
    done: "The periods were changed.",
    counting: "Counting what these periods delete…",
    deletes: (due: Due) => `A shorter period takes effect after 24 hours. These periods then delete ${amounts(due)}.`,
    deletesNothing: "A shorter period takes effect after 24 hours. These periods then delete nothing.",
    forGood: "Deleted records cannot be restored.",
  },
  workflow: {
    executionDays: "Keep runs (days)",
    failedDays: "Keep failed runs (days)",
    hint: "Empty: the period of the settings. A shorter period takes effect after 24 hours.",
    fact: "Executions kept",
    own: (ended: number | undefined, failed: number | undefined) =>
      list([
        ...(ended === undefined ? [] : [count(ended, "day")]),
        ...(failed === undefined ? [] : [`failed ones ${count(failed, "day")}`]),
      ]),
    bySettings: (link: ReactNode) => rich`As in the ${link}`,
    settings: "settings",
    pending: (until: string, ended: number, failed: number) =>
      `Until ${until}: ${count(ended, "day")} and failed ones ${count(failed, "day")}.`,
    thenDeletes: (due: Due) => `Then ${amounts(due)} will be deleted.`,
  },
  deleteWorkflow: {
    title: (name: string) => `Delete “${name}”?`,
    effect: "Nothing starts it from now on, and its waiting runs are cancelled. It can be restored for 24 hours.",
    choice: "Its executions",
    keep: "Keep until their time is over",
    delete: "Delete after 24 hours",
    submit: "Delete workflow",
  },
};
