import { jobResultStatusSchema } from "../../schema/contract/agent.ts";
import { exposition, single } from "../../schema/contract/exposition.ts";
import type { Metric } from "../../schema/contract/exposition.ts";
import { SERVICE_CALLS } from "../activity.ts";
import type { Activity } from "../activity.ts";

/** Values measured at the moment of the request, in addition to `Activity`. */
export interface Gauges {
  version: string;
  runningJobs: number;
  maxConcurrentJobs: number;
  owedResults: number;
  journalWritable: boolean;
  credentials: number;
  residentBytes: number;
  /** Epoch milliseconds. */
  now: number;
}

/** `GET /metrics`: the text format of Prometheus, version 0.0.4. */
export function renderMetrics(activity: Activity, gauges: Gauges): string {
  const one = single;
  const seconds = (ms: number | null) => one(ms === null ? 0 : ms / 1_000);
  const { calls, finishedActions } = activity;
  const perCall = (valueOf: (figures: (typeof calls)[keyof typeof calls]) => number) =>
    SERVICE_CALLS.map((call) => ({ labels: { call }, value: valueOf(calls[call]) }));
  const metrics: Metric[] = [
    {
      name: "build_info",
      type: "gauge",
      help: "The version of this agent.",
      samples: [{ labels: { version: gauges.version }, value: 1 }],
    },
    {
      name: "connected",
      type: "gauge",
      help: "1 when the last call to the service succeeded.",
      samples: one(Number(activity.connected)),
    },
    {
      name: "enabled",
      type: "gauge",
      help: "1 when the service gives this agent jobs.",
      samples: one(Number(activity.enabled === true)),
    },
    { name: "running_jobs", type: "gauge", help: "Jobs that run now.", samples: one(gauges.runningJobs) },
    {
      name: "max_concurrent_jobs",
      type: "gauge",
      help: "The most jobs that may run at the same time.",
      samples: one(gauges.maxConcurrentJobs),
    },
    {
      name: "owed_results",
      type: "gauge",
      help: "Results that the service has not acknowledged.",
      samples: one(gauges.owedResults),
    },
    {
      name: "journal_writable",
      type: "gauge",
      help: "0 while the journal cannot be written, so that no new job begins.",
      samples: one(Number(gauges.journalWritable)),
    },
    {
      name: "vault_credentials",
      type: "gauge",
      help: "Connections with a credential in the vault.",
      samples: one(gauges.credentials),
    },
    {
      name: "jobs_total",
      type: "counter",
      help: "Finished jobs by status.",
      samples: jobResultStatusSchema.options.map((status) => ({
        labels: { status },
        value: activity.finishedJobs[status],
      })),
    },
    {
      name: "actions_total",
      type: "counter",
      help: "Finished jobs with an action, by action and status.",
      samples: [...finishedActions].flatMap(([action, finished]) =>
        jobResultStatusSchema.options.map((status) => ({ labels: { action, status }, value: finished[status] })),
      ),
    },
    {
      name: "calls_total",
      type: "counter",
      help: "Calls to the service, by outcome.",
      samples: SERVICE_CALLS.flatMap((call) => [
        { labels: { call, outcome: "answered" }, value: calls[call].answered },
        { labels: { call, outcome: "failed" }, value: calls[call].failed },
      ]),
    },
    {
      name: "call_seconds_total",
      type: "counter",
      help: "Total duration of calls to the service. Its rate divided by the rate of calls_total is the mean.",
      samples: perCall(({ totalMs }) => totalMs / 1_000),
    },
    {
      name: "last_call_seconds",
      type: "gauge",
      help: "Duration of the last call of each kind.",
      samples: perCall(({ lastMs }) => lastMs / 1_000),
    },
    {
      name: "acknowledged_results_total",
      type: "counter",
      help: "Results that the service acknowledged.",
      samples: one(activity.acknowledgedResults),
    },
    { name: "polls_total", type: "counter", help: "Answered polls.", samples: one(activity.polls) },
    { name: "heartbeats_total", type: "counter", help: "Answered heartbeats.", samples: one(activity.heartbeats) },
    { name: "registrations_total", type: "counter", help: "Registrations.", samples: one(activity.registrations) },
    {
      name: "failed_calls_total",
      type: "counter",
      help: "Calls to the service that failed.",
      samples: one(activity.failedCalls),
    },
    {
      name: "wake_connected",
      type: "gauge",
      help: "1 while the wake socket is open.",
      samples: one(Number(activity.wake === "connected")),
    },
    {
      name: "wake_connections_total",
      type: "counter",
      help: "Times that the wake socket was opened.",
      samples: one(activity.wakeConnections),
    },
    {
      name: "wakes_total",
      type: "counter",
      help: "Times that the service announced a job or an order to fetch.",
      samples: one(activity.wakes),
    },
    {
      name: "poll_after_seconds",
      type: "gauge",
      help: "Poll interval of an idle agent that the service allows while the wake socket is open; 0 means POLL_INTERVAL.",
      samples: one(activity.pollAfterSeconds ?? 0),
    },
    {
      name: "since_last_poll_seconds",
      type: "gauge",
      help: "Time since the last answered poll, or since this process started if no poll was answered yet.",
      samples: seconds(gauges.now - (activity.lastPollAt ?? activity.startedAt)),
    },
    {
      name: "since_last_heartbeat_seconds",
      type: "gauge",
      help: "Time since the last answered heartbeat, or since this process started if none was answered yet. It may grow for days while poll_after_seconds is not 0.",
      samples: seconds(gauges.now - (activity.lastHeartbeatAt ?? activity.startedAt)),
    },
    {
      name: "last_poll_timestamp_seconds",
      type: "gauge",
      help: "Time of the last answered poll.",
      samples: seconds(activity.lastPollAt),
    },
    {
      name: "last_heartbeat_timestamp_seconds",
      type: "gauge",
      help: "Time of the last answered heartbeat.",
      samples: seconds(activity.lastHeartbeatAt),
    },
    {
      name: "start_time_seconds",
      type: "gauge",
      help: "Start time of this process.",
      samples: seconds(activity.startedAt),
    },
    {
      name: "resident_memory_bytes",
      type: "gauge",
      help: "Memory of this process.",
      samples: one(gauges.residentBytes),
    },
  ];
  return exposition(metrics.map((metric) => ({ ...metric, name: `bellhop_agent_${metric.name}` })));
}
