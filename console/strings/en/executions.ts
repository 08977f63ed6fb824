import type { ReactNode } from "react";
import type { ExecutionStatus, ExecutionTriggerType } from "../../../schema/contract/execution.ts";
import type { ListedStatus } from "../../../schema/contract/list-executions.ts";
import { count, number } from "../format.ts";
import { rich } from "../rich.ts";
import { common } from "./common.ts";

/** The list of executions, and the page of one. */
export const executions = {
  started: "Started",
  key: "Key",
  startedBy: "Started by",
  took: "Took",
  error: "Error",
  deletedWorkflow: "a deleted workflow",

  list: {
    description: "All workflow runs, newest first. Updates live.",
    lost: "Live updates are interrupted. Until they resume, this list refreshes every few seconds.",
    showNew: (rows: number) => `Show ${count(rows, "new run")}`,
    notLoaded: "More runs could not be loaded",
    loadMore: "Load more",
    noMatch: { title: "No runs match", next: "Remove a filter, or widen the time range." },
    none: {
      title: "No runs yet",
      next: (workflows: ReactNode) =>
        rich`Every run of a workflow is listed here. A published, active workflow runs when its trigger fires. You can also run it manually. ${workflows}`,
      workflows: "Go to the workflows",
    },
  },
  filters: {
    label: "Filters",
    set: (filters: number) => (filters === 0 ? "Filters" : `Filters (${filters})`),
    anyStatus: "Any status",
    anyTrigger: "Any trigger",
    anyTime: "Any time",
    anyWorkflow: "Any workflow",
    noWorkflow: "No matching workflow.",
    custom: "Custom range",
    from: "From",
    to: "To",
    beforeStart: "This is before the start.",
    statuses: {
      running: "running",
      waiting: "waiting",
      succeeded: "succeeded",
      failed: "failed",
      cancelled: "cancelled",
    } satisfies Record<ListedStatus, string>,
    spans: {
      "15m": "Last 15 minutes",
      "1h": "Last hour",
      "6h": "Last 6 hours",
      "24h": "Last 24 hours",
      "7d": "Last 7 days",
      "30d": "Last 30 days",
    },
  },
  triggers: {
    ...common.triggers,
    workflow: "Another run",
  } satisfies Record<ExecutionTriggerType, string>,
  by: (person: string) => `By ${person}`,
  incident: (title: string) => `Incident: ${title}`,
  failure: (workflow: string) => `Failed run of ${workflow}`,
  retryOf: (run: ReactNode) => rich` (retry of ${run})`,
  earlierRun: "an earlier run",

  page: {
    ofDeleted: "A deleted workflow",
    documentTitle: (status: ListedStatus, title: string) => `${status}: ${title}`,
    /** For screen readers. */
    state: (status: ExecutionStatus | "waiting", approvals: number) =>
      `Run ${status === "running" ? "in progress" : status}.${approvals === 0 ? "" : ` ${count(approvals, "step waits", "steps wait")} for approval.`}`,
    lost: "Live updates are interrupted. Until they resume, this page refreshes every few seconds.",
    noGraph: "The workflow was deleted, so its graph is not available. Its steps are listed below.",
    graph: "The graph of this run",
    following: "Following the active step. Select a step to stop following.",
    nothingRan: "Nothing has run yet.",
    superseded: {
      title: "A newer run takes its place",
      next: "No further step begins. This run ends when its running actions have ended.",
      newer: "Open the newer run",
    },
    handled: {
      title: "Succeeded with handled failures",
      steps: (titles: readonly string[]) =>
        `Failed steps, handled by the workflow: ${titles.join(", ")}. See the details below.`,
    },
  },
  heading: {
    started: (ago: ReactNode, exact: string) => rich`Started ${ago}, ${exact}`,
    waiting: (time: ReactNode) => rich`Waiting for ${time}`,
    running: (time: ReactNode) => rich`Running for ${time}`,
    inProgress: (time: ReactNode) => rich`In progress for ${time}`,
    took: (time: ReactNode) => rich`Took ${time}`,
    withKey: (key: string) => `Key: ${key}`,
    due: (time: string) => `, due ${time}`,
    workflow: (version: number | null) => (version === null ? "Workflow" : `Workflow, version ${version}`),
    notNewest: "not the newest version",
    parent: "Parent run",
    copyId: "Copy the run's id",
    noData: "No trigger data.",
    data: "Trigger data",
    fields: (fields: number) => `Trigger data (${count(fields, "field")})`,
    retried: (runs: ReactNode) => rich`Retried: ${runs}`,
  },
  cancel: {
    button: "Cancel run",
    keep: "Keep running",
    title: "Cancel this run?",
    body: "Running commands are stopped. Completed work is not undone. Waiting steps do not start, and runs of sub-workflows are cancelled, too.",
    done: "The run is cancelled.",
    notDone: "The run was not cancelled",
  },
  retry: {
    button: "Retry",
    title: "Retry this run",
    label: "Start",
    description: "Creates a new run with the same trigger data.",
    fromFailed: "From the failed step",
    aboutFailed:
      "Uses the version that ran. Steps that succeeded, or whose failure was handled, keep their output. The step whose failure was not handled and all steps after it run again.",
    nothingFailed: "Nothing failed in this run.",
    fromStart: "From the start",
    aboutStart: "Runs every step again. Uses the version that ran.",
    published: (newer: number | null) =>
      `From the start, with the published version${newer === null ? "" : ` (version ${newer})`}`,
    aboutNewer: "The workflow was published after this run. Choose this to run the fixed version.",
    aboutSame: "Use this after fixing the workflow. The published version is still the one that ran.",
    again: (steps: readonly string[]) => `Runs again: ${steps.length === 0 ? "nothing" : steps.join(", ")}`,
    kept: (steps: readonly string[]) => `Kept: ${steps.join(", ")}`,
    times: (step: string, times: number) => (times === 1 ? step : `${step} (${number(times)} times)`),
    twice: "Some work may be done twice",
    aboutTwice: (steps: readonly string[]) =>
      `An agent had already started ${steps.join(", ")}. Running this again repeats the work: check the target first.`,
    run: "Run again",
    done: "Started as a new run.",
    notDone: "The retry was not started",
  },
  approvals: {
    label: (title: string) => `Approval of ${title}`,
    needed: (title: string) => `Approval needed: ${title}`,
    answered: (title: string, decision: "approved" | "rejected") => `${title}: ${decision}.`,
    notSaved: "Your answer was not saved",
    refused: "You cannot answer this approval",
    notAllowed: "Your role cannot answer approvals. Ask an operator, an editor or an administrator.",
    noMessage: "This approval has no message.",
    commentNotSent: "Your comment was not sent:",
    copyComment: "Copy the comment",
    dismiss: "Dismiss",
    more: (approvals: number) => `${count(approvals, "more approval is", "more approvals are")} waiting.`,
    /** How another person answered an approval while this one wrote a comment. */
    ended: (title: string, end: string) => `${title}: ${end}`,
    meanwhile: (decision: "approved" | "rejected", by: string | null) =>
      by === null ? `${decision} meanwhile` : `${decision} meanwhile by ${by}`,
    timedOut: "timed out",
    over: "no longer waiting",
  },
};
