import type { ReactNode } from "react";
import type { WhenReached } from "../../../schema/contract/limit-group.ts";
import { count } from "../format.ts";
import { rich } from "../rich.ts";
import { spelledDuration } from "../time.ts";

/** Limits per target: their page, and the fields of a workflow. */
export const limits = {
  intro:
    "A limit allows a number of runs with unsafe actions in a period, for each key and over all workflows that name it: restart a service at most 3 times an hour.",
  create: "New limit",
  rule: "Allows",
  allows: (maxRuns: number, periodSeconds: number) => `${count(maxRuns, "run")} in ${spelledDuration(periodSeconds)}`,
  furtherRun: "A further run",
  whenReached: {
    end: "fails",
    approve: "asks a person",
  } satisfies Record<WhenReached, string>,
  none: {
    title: "No limits yet",
    what: "Create a limit, then choose it in the settings of each workflow that acts on the same target.",
  },
  showUses: "Uses",
  usesOf: (name: string) => `Uses of ${name}`,
  edit: (name: string) => `Edit ${name}`,
  form: {
    exampleName: "Restart a service",
    maxRuns: "Runs",
    maxRunsHint: "A run counts once, before its first unsafe action.",
    period: "Period",
    periodHint: "Each run counts for this time. At most 30 days.",
    whenReached: "When the limit is reached",
    choices: {
      end: { label: "The action fails", what: "A failure edge or the error handler can report it." },
      approve: { label: "The action waits for approval", what: "After an approval the run counts beyond the limit." },
    } satisfies Record<WhenReached, { label: string; what: string }>,
    created: (name: string) => `${name} was created`,
    saved: (name: string) => `${name} was saved. The next action follows it`,
    unused: (done: string) => `${done}. No published workflow uses it yet: choose it in a workflow's settings`,
  },
  deleteEffect: "Its uses are deleted, too. Unsafe actions of running executions that name it fail.",
  uses: {
    intro: "The runs that count now, by key.",
    none: "No run counts now.",
    key: (key: string) => (key === "" ? "Without a key" : key),
    used: (used: number, maxRuns: number) => `${used} of ${maxRuns} used`,
    freeNow: "The next run is possible now.",
    freeAt: (time: ReactNode) => rich`The next run is possible ${time}.`,
    approved: "approved beyond the limit",
    more: "Only the newest uses are shown.",
  },
  fields: {
    title: "Limits",
    hint: "How often runs may act, counted with other workflows.",
    limit: (place: number) => `Limit ${place}`,
    choose: "Choose a limit",
    key: (place: number) => `Key of limit ${place}`,
    keyHint: (example: string) => `Each value has its own count, such as {{${example}}}. Empty: one count.`,
    add: "Add a limit",
    remove: (place: number) => `Remove limit ${place}`,
    manage: "Manage limits",
    group: "Limit",
    groupKey: "Key of a limit",
  },
  forEach: (key: string) => `for each ${key}`,
};
