import type { ReactNode } from "react";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { AgentCounts, LiveRun } from "../../../schema/contract/overview.ts";
import type { Latency, Statistics } from "../../../schema/contract/statistics.ts";
import { atLeast, count, number } from "../format.ts";
import { rich } from "../rich.ts";
import { common } from "./common.ts";

const outcomes = {
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  running: "running",
} satisfies Record<ExecutionStatus, string>;

/** The first page. The guide through the first run has its own catalogue. */
export const overview = {
  title: "Overview",
  nothing: "Nothing needs your attention.",
  paused:
    "All runs are paused. Actions and notification steps wait until a person resumes them. Notification rules still report.",
  deletedWorkflow: "Deleted workflow",
  item: (step: string, items: readonly number[]) => `${step}, item ${items.map((index) => index + 1).join(".")}`,

  /** The sections with lists. */
  heading: (title: string, items: number, isMore: boolean) => `${title}: ${atLeast(items, isMore)}`,
  showHidden: (items: number) => `Show ${number(items)} more`,
  showFewer: "Show fewer",
  agentsAndPools: "Agents and pools",

  approvals: {
    title: "Waiting for approval",
    expires: (ago: ReactNode) => rich`Expires ${ago}.`,
    approved: {
      label: (step: string) => `Approve ${step}`,
      dialog: (step: string) => `Approve: ${step}`,
      done: (step: string) => `Approved: ${step}.`,
    },
    rejected: {
      label: (step: string) => `Reject ${step}`,
      dialog: (step: string) => `Reject: ${step}`,
      done: (step: string) => `Rejected: ${step}.`,
    },
  },
  asked: {
    title: "Waiting for a person to run them",
    all: "Maintenance windows",
    window: (window: ReactNode) => rich`The maintenance window ${window} asks for that.`,
  },
  incidents: {
    title: "Critical and high incidents",
    all: "All incidents",
    assignedTo: (person: string) => `assigned to ${person}`,
  },
  waitingJobs: "Jobs waiting over 5 minutes",
  failing: {
    title: "Workflows that failed in the last day",
    all: "All failed executions",
    times: (failures: number, isMore: boolean) => `failed ${atLeast(failures, isMore)} times`,
    noMessage: "No error message.",
  },
  switchedOff: {
    title: "Workflows switched off after failures",
    all: "All workflows",
    notAllowed: "Your role cannot activate workflows. Ask an editor.",
    activate: "Activate again",
    activateNamed: (workflow: string) => `Activate ${workflow} again`,
    done: (workflow: string) => `${workflow} is active again.`,
    failed: (workflow: string) => `${workflow} was not activated`,
  },
  agents: {
    title: "Agents offline or degraded",
    all: "All agents",
    state: (health: number, ago: ReactNode) => rich`health ${number(health)}, last heartbeat ${ago}`,
    degraded: (succeeded: number, finished: number, failed: ReactNode, help: ReactNode) =>
      rich`${number(succeeded)} of ${count(finished, "job")} succeeded in the last hour. ${failed} ${help}`,
    failedExecutions: "Failed executions",
    help: "What to do",
    unknown: (agents: number) => `The status of ${count(agents, "agent")} is unknown: the pool does not answer.`,
  },
  running: {
    title: "Running now",
    all: "All running executions",
    since: (trigger: string, time: ReactNode) => rich`${trigger}, for ${time}`,
    triggers: {
      webhook: "webhook",
      manual: "manual",
      incident: "incident",
      cron: "schedule",
      failure: "failed run",
      workflow: "another run",
    } satisfies Record<LiveRun["triggerType"], string>,
  },
  counts: {
    online: "Online",
    degraded: "Degraded",
    offline: "Offline",
    neverStarted: "Never started",
    disabled: "Disabled",
  } satisfies Record<Exclude<keyof AgentCounts, "unknown">, string>,

  charts: {
    now: "now",
    time: "Time",
    showTable: "Show as table",
    table: (chart: string) => `${chart} As a table.`,
    /** An hour of the chart, with its figures. */
    hour: (hour: string, figures: string) => `${hour}: ${figures}`,
  },
  outcomes: {
    title: "Executions of the last 24 hours",
    none: "No runs started in the last 24 hours.",
    chart: (figures: string) => `Executions that started in the last 24 hours, by hour: ${figures}.`,
    sampled: "In hours with very many runs, only the newest are counted, marked with a +.",
    names: outcomes,
    amount: (executions: number, isMore: boolean, outcome: ExecutionStatus) =>
      `${atLeast(executions, isMore)} ${outcomes[outcome]}`,
    figures: (amounts: readonly string[]) => (amounts.length === 0 ? common.none : amounts.join(", ")),
  },
  latency: {
    title: "Time until an agent starts a job, last 24 hours",
    none: "No job has ended in the last 24 hours.",
    chart: (figures: string) => `Time until an agent starts a job in the last 24 hours, by hour: ${figures}.`,
    figures: ({ p50Ms, p95Ms }: Pick<Latency, "p50Ms" | "p95Ms">) =>
      `p50 ${milliseconds(p50Ms)}, p95 ${milliseconds(p95Ms)}`,
    stage: "Stage",
    stagesInChart: "Stages in the chart",
    stages: {
      queuedToStarted: "Until it starts",
      queuedToDelivered: "Until an agent has it",
    } satisfies Record<Extract<keyof Statistics, `queuedTo${string}`>, string>,
    columns: ["p50", "p95", "p99", "Jobs"],
    milliseconds,
    note: "Only jobs that have ended. Waiting jobs are listed with their pool. Time in a pause of all runs counts. Start times use the agent's clock.",
    sampled: "In hours with very many jobs, only the newest are counted.",
  },

  setUp: {
    title: "Set-up",
    line: (link: ReactNode, reason: string, ask: string | null) =>
      rich`${link}. ${reason}${ask === null ? "" : ` ${ask}`}`,
    ask: { admin: "Ask an administrator.", editor: "Ask an editor." },
    more: (hints: number, isMore: boolean) => `And ${atLeast(hints, isMore)} more.`,
    dismiss: (hint: string) => `Dismiss: ${hint}`,
    agent: { label: "Create an agent", reason: "It runs steps inside your network." },
    connection: { label: "Create a connection", reason: "It is a host, an API or a database." },
    workflow: { label: "Create a workflow", reason: "It has the steps, and what starts them." },
    credential: {
      label: (connection: string) => `${connection} lacks its credential`,
      noAgent: "No agent can receive it yet.",
      notDelivered: "Not delivered yet.",
      pending: (agents: number) => `${count(agents, "agent has", "agents have")} not fetched it yet.`,
      expired: (agents: number) => `${count(agents, "agent")} did not fetch it in time. Deliver it again.`,
      failed: (agents: number) => `${count(agents, "agent")} did not accept it. Deliver it again.`,
    },
  },
};

/** Always in ms, so that figures are easy to compare. */
function milliseconds(value: number | null): string {
  return value === null ? "–" : `${number(value)} ms`;
}
