import type { ReactNode } from "react";
import { count, number } from "../format.ts";
import { rich } from "../rich.ts";

/** The list of workflows and a workflow's page. */
export const workflows = {
  /** In the order of the list's filter. */
  states: {
    live: "Live",
    deactivated: "Deactivated",
    switchedOff: "Switched off",
    draft: "Draft",
  },
  stateHints: {
    live: "A version is published and can run.",
    deactivated: "Published, but its trigger starts no runs. It can be run manually.",
    switchedOff: "The schedule was switched off after five failed runs in a row.",
    draft: "Not published: it does not run.",
  },
  unfinished: {
    label: "Unfinished draft",
    hint: (problems: number) => `The draft has ${count(problems, "problem")}. Fix them to publish it.`,
  },
  state: "State",
  tag: "Tag",
  tags: "Tags",
  lastRun: "Last run",
  nextRun: "Next run",
  neverRan: "Never ran",
  runNow: "Run now",
  activate: "Activate",
  deactivate: "Deactivate",
  duplicate: "Duplicate",
  showMoreOf: (items: number) => `Show ${number(items)} more`,

  list: {
    import: "Import",
    create: "New workflow",
    none: {
      title: "No workflows yet",
      what: "A workflow is a trigger and the steps that follow it, such as a webhook that restarts a service, or a schedule that cleans up.",
      mayWrite: "Create the first one, or import it from a file.",
      mayNotWrite: "Your role cannot create workflows. Ask an editor.",
    },
    noMatch: {
      title: "No workflows match",
      loaded: (loaded: number) => `Only the newest ${count(loaded, "workflow")} are loaded.`,
    },
    loadMore: "Load more",
    tally: (found: number | null, all: number) =>
      found === null ? count(all, "workflow") : `${number(found)} of ${count(all, "workflow")}`,
    tallyOfLoaded: (tally: string) => `${tally} loaded. The filter searches only loaded workflows.`,
    filter: {
      placeholder: "Name, description, tag, trigger",
      anyTrigger: "Any trigger",
      anyState: "Any state",
      anyTag: "Any tag",
    },
    actionsFor: (name: string) => `Actions for ${name}`,
  },

  duplicated: (name: string) => `Created “${name}”.`,
  notDuplicated: "The workflow was not duplicated",
  nameOfCopy: (name: string) => `Copy of ${name}`,

  import: {
    title: "Import a workflow",
    intro:
      "YAML or JSON in the format of “Export YAML”. The workflow is imported as a draft and does not run until it is published.",
    chooseFile: "Choose a file",
    tooLarge: "The file is larger than 1 MiB. Choose a smaller one.",
    content: "File content",
    placeholder: "apiVersion: bellhop/v1\nkind: Workflow\nname: …",
    check: "Check only",
    submit: "Import",
    noProblems: "No problems found.",
    done: (name: string) => `“${name}” was imported as a draft.`,
    failed: "The file was not imported",
    problems: (problems: number) => `Not imported: ${count(problems, "problem")}`,
    line: (line: number) => `Line ${line}`,
  },

  detail: {
    what: (id: string) => `workflow ${id}`,
    about: "About this workflow",
    tabs: {
      overview: "Overview",
      webhook: "Webhook",
      schedule: "Schedule",
      versions: "Versions",
      executions: "Executions",
    },
    exportYaml: "Export YAML",
    unpublish: "Unpublish",
  },

  overview: {
    startedBy: "Started by",
    liveTrigger: "Started by (live version)",
    published: "Published",
    notPublished: "not published",
    version: (number: number) => `version ${number}`,
    publishedAt: (version: ReactNode, by: string, at: ReactNode) => rich`${version} by ${by}, ${at}`,
    timeLimit: "Time limit",
    noTimeLimit: "none (400 days at most)",
    graph: (steps: number) => `Graph: ${count(steps, "step")}`,
    graphLabel: (name: string) => `The steps of ${name}`,
    steps: "Steps",
    notifiedBy: "Notified by",
    noRule: "no rule",
    onFailure: "On failure",
    noFailureWorkflow: "starts no other workflow",
    starts: (workflow: string) => `starts ${workflow}`,
  },
  triggerFacts: {
    expression: "Expression",
    timeZone: "Time zone",
    conditions: "Conditions",
    noConditions: "none: every such event starts a run",
    inputs: "Inputs",
    required: "required",
    tags: "After failed runs of",
    anyWorkflow: "every other workflow",
    tagged: (tags: readonly string[]) => `other workflows tagged ${tags.join(" or ")}`,
  },

  /** A trigger in a few words. */
  failureTagged: (tags: readonly string[]) => `Failed run (${tags.join(", ")})`,
  withConditions: (events: string) => `${events} (with conditions)`,

  /** A step's work in one line. */
  steps: {
    on: (action: string, connection: string, host: string | undefined) =>
      `${action} on ${connection}${host === undefined ? "" : `, host ${host}`}`,
    condition: (condition: string) => `If ${condition}`,
    forEach: (items: string, steps: number) => `For each of ${items}: ${count(steps, "step")}`,
    /** How a For each goes through its items. */
    rules: {
      concurrency: (items: number) => `${number(items)} at a time`,
      batchSize: (items: number) => `batches of ${number(items)}`,
      pause: (duration: string) => `pause of ${duration} between batches`,
      maxFailures: (items: number | string) => `allowed failures: ${items}`,
      continueOnError: "succeeds despite allowed failures",
      check: (condition: string) => `a further batch only if ${condition}`,
    },
    delay: (duration: string) => `Wait ${duration}`,
    approval: (message: string) => `Ask for approval: ${message}`,
    workflow: (name: string) => `Run the workflow ${name}`,
    errorHandler: "Handles failures that no other step handles",
  },

  executions: {
    label: "Last executions",
    started: "Started",
    took: "Took",
    startedBy: "Started by",
    error: "Error",
    none: {
      title: "No runs yet",
      help: "Runs appear here after the trigger or a person has started the workflow.",
    },
    all: "All runs of this workflow",
  },

  deleting: {
    done: (name: string) => `“${name}” was deleted. It can be restored for 24 hours.`,
    failed: "The workflow was not deleted",
    restored: (name: string) => `“${name}” was restored.`,
    notRestored: "The workflow was not restored",
    inUse: {
      title: "Other workflows call this workflow",
      confirm: "Delete anyway",
      keep: "Keep workflow",
    },
  },

  undone: "The change was undone.",
  notUndone: "The change was not undone",
  changedMeanwhile:
    "Someone else changed this workflow meanwhile. The page now shows the current version: check it, then try again.",
};
