import type { ReactNode } from "react";
import type { Effect } from "../../../schema/contract/action-types.ts";
import type { LateResult, NodeRunStatus } from "../../../schema/contract/execution.ts";
import { count, number } from "../format.ts";
import { rich } from "../rich.ts";

/** The steps of an execution: their list, details, errors and items. */
export const executionSteps = {
  list: "Steps",
  notReached: "not reached",
  showMore: (of: number) => `Show more of ${number(of)}`,
  showingItem: (item: number) => `showing item ${item}`,
  attempt: (attempt: number) => `attempt ${attempt}`,
  /** After a step's title: the item of each forEach around it. */
  inItem: (items: string) => `, item ${items}`,

  items: {
    label: "Items",
    item: "Item",
    batch: "Batch",
    show: (item: number) => `Show item ${item}`,
    failedOnly: (failed: number, all: number) => `Failed only (${number(failed)} of ${number(all)})`,
    notStarted: (items: number) => `${number(items)} not started`,
    keys: "N: next failed item. Shift+N: previous one.",
    previous: (title: string) => `Previous item of ${title}`,
    next: (title: string) => `Next item of ${title}`,
    choose: (title: string) => `Item of ${title}`,
    option: (item: number, status: string) => `Item ${item}: ${status}`,
    nextFailed: "Next failed",
    nextFailedKey: "Next failed item (N)",
  },
  step: {
    label: (title: string) => `Step ${title}`,
    about: (type: string, does: string, id: string) => `${type}: ${does} (${id})`,
    notReached: "This step has not been reached.",
    host: (host: string) => `Host: ${host}`,
    output: "Output",
    stages: "Stages",
    whatRan: "What ran",
    definition: "Step definition",
    definitionOf: "Definition of the step",
    nodes: (nodes: number) => count(nodes, "node"),
    subWorkflow: "Open the sub-workflow's run",
  },
  answer: {
    approved: (by: string, at: ReactNode) => rich`Approved by ${by} on ${at}.`,
    rejected: (by: string, at: ReactNode) => rich`Rejected by ${by} on ${at}.`,
    comment: (comment: string) => `Comment: ${comment}`,
  },
  whatRan: {
    nothing: "The job has no parameters.",
    cut: "Long texts are cut.",
    ran: (name: string) => `${name}, as it ran`,
    defined: (name: string) => `${name}, as defined`,
    definition: "Definition",
  },
  facts: {
    noAgent: "none yet",
    attempt: "Attempt",
    attempts: (attempt: number, most: number) => (most > 1 ? `${attempt} of at most ${most}` : String(attempt)),
    safeToRetry: "Safe to retry",
    /** Whether a job can safely run again when its agent is lost and its outcome is unknown. */
    safe: {
      read: "yes: it only reads",
      idempotent: "yes: repeating it has no further effect",
      unsafe: "no: repeating it does the work twice",
    } satisfies Record<Effect, string>,
    job: "Job",
    copyJob: "Copy the job's id",
    late: "Late result",
    lateStatuses: {
      succeeded: "succeeded",
      failed: "failed",
      timed_out: "timed out",
      cancelled: "cancelled",
      interrupted: "interrupted",
    } satisfies Record<LateResult["status"], string>,
    lateResult: (agent: ReactNode, status: string, ago: ReactNode) =>
      rich`${agent} reported ${status} ${ago}, after it had lost the job. The result was not applied: check the target yourself.`,
  },

  failure: {
    cancelled: "This run was cancelled",
    failed: "This run failed",
    stepFailed: (step: ReactNode) => rich`${step} failed`,
    stepTimedOut: (step: ReactNode) => rich`${step} timed out`,
    /** Below the failure of one item: how many items of the loop did not succeed. */
    items: (loop: string, items: { failed: number; notStarted: number; total: number }) =>
      `${loop}: ${number(items.failed)} of ${count(items.total, "item")} failed${items.notStarted === 0 ? "" : `, ${number(items.notStarted)} not started`}.`,
    stderr: "End of stderr",
    mayNotRetry: "Your role cannot retry runs. Ask an operator, an editor or an administrator.",
    runbook: (host: string) => `Runbook on ${host}`,
    exitCode: (code: number) => `exit code ${code}`,
    openConnection: "Open the connection",
    openWorkflow: "Open the workflow",
  },
  /** The title of a step's error; `handled`: the workflow handled the failure. */
  errorTitle: (status: NodeRunStatus, handled: boolean) => {
    if (status === "waiting" || status === "running") return "The last attempt failed";
    if (status === "cancelled") return "This step was cancelled";
    const what = status === "timed_out" ? "This step timed out" : "This step failed";
    return handled ? `${what}, and the workflow handled it` : what;
  },
  nextStep: {
    checkTarget: "The outcome is unknown. Check the target before you run this again.",
    fixConnection: "Fix and test the connection, then retry.",
    fixWorkflow: "Change the step, publish the workflow, then retry with the published version.",
    deliver: "Deliver the connection's credential, then retry.",
    enable: "Enable the connection, then retry.",
    mayNotUse:
      "Ask someone who may use the connection to publish the workflow, or add the workflow under “Who may use it”.",
    addWorkflow: "Add the workflow to the connection under “Who may use it”, deliver the credential again, then retry.",
    assign: "Assign an agent or a pool to the connection, then retry.",
    approveAgain:
      "Check what has changed since the approval, then retry from the start, which asks for approval again.",
    raiseTimeout:
      "The step exceeded its timeout. See below how far it came, and raise the timeout if the step needs more time.",
    readOutput: "Read the output, fix the cause, then retry.",
  },

  waiting: {
    subWorkflow: "Waiting for the sub-workflow to end.",
    earlierRun: "Open the run that must end first",
    for: (what: string) => `Waiting for ${what}.`,
    sentence: (sentence: string) => `Waiting: ${sentence}`,
    pool: (pool: string) => `Open the pool ${pool}`,
  },
  stages: {
    none: "Not reached yet.",
    label: "Stages",
    part: (activity: string, time: string) => `${activity}: ${time}`,
    lasted: (time: string, activity: string) => `${time} ${activity}`,
    to: (agent: string) => `to ${agent}`,
    /** The activity after each stage. */
    activities: {
      queued: "waiting for an agent",
      assigned: "waiting for the agent to fetch it",
      delivered: "on the agent, not started",
      started: "running",
      finished: "waiting for the report",
      reported: "",
      lost: "waiting for an agent",
    },
    lostUnstarted: "sent to the agent, which did not report a start",
    startUnreported: "delivered, waiting for the agent to report the start",
    neverReported: "on the agent, which did not report the start",
    waitingForAnswer: "waiting for an answer",
    waiting: "waiting",
    running: "running",
  },
};
