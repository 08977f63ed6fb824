import type { TriggerType } from "../../../schema/contract/workflow.ts";
import { count } from "../format.ts";

/** How a workflow is started: the tabs of its webhook and schedule, and the dialog that runs it. */
export const workflowTriggers = {
  webhook: {
    noKey: {
      title: "This webhook has no key yet",
      help: "The key is part of the webhook's URL, and comes with a secret that callers send. Without a key, the webhook cannot start this workflow.",
    },
    generate: "Generate key",
    refused: "The webhook answers 404 for now",
    /** Why it answers 404. */
    reasons: {
      notPublished: "The workflow is not published. Publish it.",
      otherTrigger: "The published version has another trigger than a webhook. Publish the draft.",
      notActive: "The workflow is not active. Activate it.",
      switchedOff: "The workflow was switched off. Activate it again.",
    },
    secret: {
      title: "The webhook's secret",
      help: "The secret is shown only once, until you leave this tab. Store it safely. If you lose it, generate another key.",
    },
    url: "URL",
    urlLabel: "Webhook URL",
    tryIt: "Try it",
    command: "Command that calls the webhook",
    replaceSecret: (placeholder: string) => `Replace ${placeholder} with your secret.`,
    noVariables: "The workflow reads no values from the webhook.",
    variables: "The command sends the values that the workflow reads, as examples.",
    details: (perMinute: number) => [
      "A 200 means that the event is stored and starts one run.",
      `At most ${count(perMinute, "call")} a minute. Above that: 429 with Retry-After.`,
      "The same body within five minutes does not start another run: the answer names the first one. With the header X-Idempotency-Key, the key is compared instead of the body.",
    ],
    newKey: {
      title: "Key and secret",
      help: "A new key replaces the URL and the secret, and can change how callers are verified. Calls to the old URL are refused immediately.",
      secret: "Replace secret",
      button: "Replace key",
      impossible: "The draft has another trigger than a webhook, so a new key cannot be generated.",
    },
  },

  schedule: {
    notRunning: "The schedule is not running",
    reasons: {
      notPublished: "The workflow is not published.",
      noSchedule: "The published version has no schedule.",
      notActive: "The workflow is not active.",
      switchedOff: "The service switched the schedule off.",
    },
    otherTrigger: (trigger: string) => `The draft has another trigger: ${trigger}. It applies after the next publish.`,
    nextRuns: "Next runs",
    wouldRun: "Would run at",
    missed: {
      title: "Missed runs",
      none: "None. Every due run was started while the workflow was active.",
      why: "A due run is missed when the service or its database is unavailable, or more than ten minutes late. Missed runs are not repeated, except the latest one if it was due in the last ten minutes. A run that finds too many others waiting is missed, too.",
      one: (at: string) => `1 run, due ${at}`,
      queueFull: (runs: number, from: string) => `${count(runs, "run")} found the queue full: ${from}`,
      several: (runs: number, from: string, to: string) => `${count(runs, "run")}, due from ${from} to ${to}`,
      onlyLatest: "Only the latest missed runs are shown.",
    },
  },

  run: {
    title: (name: string) => `Run “${name}”`,
    notPublished: "Only published workflows can run, and this one is not published. Publish it first.",
    version: (number: number) => `This runs version ${number}.`,
    inactiveVersion: (number: number) => `This runs version ${number}, although the workflow is not active.`,
    draftIsAhead: "Later changes of the draft are not included.",
    failed: "The run was not started",
    checkState: "Close this dialog, and check the workflow's current state.",
    noInputs: "This workflow has no inputs.",
    variables: "Variables",
    usesNone: "A JSON object. The workflow's templates use no variables.",
    usesVariables: "A JSON object with the variables that the templates use. Replace the example values.",
    stillExample: "These are example values. Replace them, clear the field to run without variables, or run with them.",
    withExample: "Run with the example values",
    /** The source of the trigger's templates in a manual run. */
    hints: {
      webhook: (templates) => `${templates} get these values.`,
      manual: (templates) => `${templates} get these values.`,
      incident: (templates) => `A manual run has no incident. ${templates} get the values of the variable “incident”.`,
      cron: () => "Templates with the scheduled time get the current time.",
      failure: (templates) => `A manual run has no failed run. ${templates} get the values of the variable “failed”.`,
    } satisfies Record<TriggerType, (templates: string) => string>,
    templates: (example: string | null) => (example === null ? "Templates" : `Templates such as {{${example}}}`),
  },

  inputs: {
    hints: { string: "", number: "A number.", boolean: "", object: "A JSON object.", array: "A JSON list." },
    wrongType: {
      string: "Enter text.",
      number: "Enter a number, such as 5 or 0.5.",
      boolean: "Choose true or false.",
      object: 'Enter a JSON object, such as {"key": "value"}.',
      array: 'Enter a JSON list, such as ["a", "b"].',
    },
    notObject: 'Enter a JSON object, such as {"service": "nginx"}.',
    notJson: (why: string) => `This is not valid JSON: ${why}`,
    choose: "Choose",
    notSet: "Not set",
    defaultValue: (value: string) => `The default (${value})`,
  },
};
