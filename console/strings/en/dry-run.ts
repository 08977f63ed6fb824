import type { ReactNode } from "react";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import { count, number } from "../format.ts";
import { rich } from "../rich.ts";

/** The preview of a run with sample data. */
export const dryRun = {
  label: "Preview",
  about: "Nothing is executed. The service simulates the workflow with this data and shows what each step would do.",
  loading: "Loading sample data",
  start: "Preview run",
  again: "Preview again",
  clear: "Clear assumptions",
  failed: "The preview failed",
  stale: "The draft or the data has changed. Preview again to see the effect.",
  problems: "This draft has problems",
  notStarted:
    "This data would not start the workflow: it does not match the trigger’s events or conditions. The preview shows what would happen if it started.",
  noPreview: "The preview needs a valid graph. Fix the problems above, then preview again.",

  sample: {
    variables: "Variables of the request",
    inputs: "Inputs",
    variablesHint: "As JSON. Suggested: the data of the last run, or else the names that the steps use.",
    event: "Event",
    incident: "Incident",
    incidentHint: "As JSON, with the fields that matter. Other fields get sample values.",
    failed: "Failed run",
    failedHint: "As JSON, with the fields that matter. Other fields get sample values.",
    noObject: "Enter a JSON object: { … }.",
    due: "Scheduled time",
    dueFormat: "In ISO 8601, such as 2026-11-27T09:00:00Z.",
    yourTime: (time: string) => `In your time zone: ${time}`,
    edited: "You have changed this data.",
    suggest: "Use the suggested data",
    incidentTitle: "The disk is full",
  },

  /** Whether a step would run: colour alone is not enough. */
  runs: {
    yes: "would run",
    no: "would not run",
    unknown: "may run",
  } satisfies Record<NodePreview["runs"], string>,
  wouldFail: "would fail",
  wouldWait: "would wait",
  unresolved: (templates: number) => `${templates} unresolved`,
  item: (position: number, step: string) => `${position}. ${step}`,

  outcome: (outcome: string) => `ends with ${outcome}`,
  outcomeBy: (outcome: string, by: string) => `ends with ${outcome}, ${by}`,
  by: {
    given: "as you chose",
    evaluated: "with this data",
    assumed: "assumed",
  } satisfies Record<NonNullable<NodePreview["outcomeBy"]>, string>,
  noOutcome: "the result is unknown: choose one below",

  place: {
    service: "The service runs this itself, without an agent.",
    pool: (pool: string, online: string) => `Would run with an agent of the pool ${pool}${online}.`,
    poolOn: (connection: string, pool: string, online: string) =>
      `Would run on ${connection} with an agent of the pool ${pool}${online}.`,
    agent: (online: string) => `Would run with one agent${online}.`,
    agentOn: (connection: string, online: string) => `Would run on ${connection} with one agent${online}.`,
    online: (online: number, total: number) => ` (${online} of ${total} online)`,
    noConnection: "No connection is chosen.",
    noAgent: (connection: string) => `The connection ${connection} has no agent or pool.`,
  },
  target: (host: string) => `It would go to ${host}.`,
  waits: (reason: string) => `It would wait: ${reason}`,
  conditions: {
    unknown: "Whether its conditions match depends on unknown values.",
    match: "Its conditions match.",
    noMatch: "Its conditions do not match.",
  },
  forEach: {
    unknown: "Its list is unknown.",
    empty: "Its list is empty.",
    items: ({ count: items, checked }: { count: number | null; checked: number }, first: string) =>
      `Its list has ${count(items ?? 0, "item")}. The preview shows the first one: ${first}. ${items === checked ? "All were" : `The first ${number(checked)} were`} checked for problems.`,
    wouldFail: "Steps inside would fail",
    /** Items count from 1, as in the message of a failed run. */
    problem: (iteration: readonly number[], item: string, step: string, why: string) =>
      `Item ${iteration.map((at) => at + 1).join(".")} (${item}), ${step}: ${why}`,
  },
  delay: (time: string) => `It would wait ${time}.`,
  approval: (question: string) => `It would ask: ${question}`,
  workflow: (name: string, variables: string) => `It would start ${name} with ${variables}.`,
  unpublished: (name: string, variables: string) =>
    `It would start ${name}, which is not published, with ${variables}.`,
  unknownWorkflow: "an unknown workflow",
  parameters: "Parameters",
  values: "Values passed by name, outside the code",
  value: (name: ReactNode, value: ReactNode) => rich`${name} = ${value}`,
  valueFrom: (name: ReactNode, value: ReactNode, template: string) => rich`${name} = ${value} from ${template}`,
  templates: "Templates",
  template: "Template",
  templateValue: "Value",
  templateAt: (field: string) => `in ${field}`,
  noTemplateValue: (reason: string) => `Unresolved: ${reason}.`,
  nothing: "nothing",
  cut: (text: string) => `${text} …`,

  given: {
    outcome: "Assume it ends with",
    notSet: "Not set",
    error: "With the error",
    output: "Assume this output",
    outputHint: (template: string) => `As JSON, for ${template}.`,
  },
};
