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
      help: "Jobs that may run at once.",
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
      help: "0 while the disk takes nothing and no job can begin.",
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
      help: "Calls to the service by what became of them.",
      samples: SERVICE_CALLS.flatMap((call) => [
        { labels: { call, outcome: "answered" }, value: calls[call].answered },
        { labels: { call, outcome: "failed" }, value: calls[call].failed },
      ]),
    },
    {
      name: "call_seconds_total",
      type: "counter",
      help: "Time that calls to the service took, all together: divide its rate by that of calls_total.",
      samples: perCall(({ totalMs }) => totalMs / 1_000),
    },
    {
      name: "last_call_seconds",
      type: "gauge",
      help: "What the last call of each kind took.",
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
      help: "How often the wake socket was opened.",
      samples: one(activity.wakeConnections),
    },
    {
      name: "wakes_total",
      type: "counter",
      help: "Times the service said that there is something to fetch.",
      samples: one(activity.wakes),
    },
    {
      name: "poll_after_seconds",
      type: "gauge",
      help: "After how long an idle agent polls, as the service allows while the wake socket is open; 0: after POLL_INTERVAL.",
      samples: one(activity.pollAfterSeconds ?? 0),
    },
    {
      name: "since_last_poll_seconds",
      type: "gauge",
      help: "Since a poll was last answered, or, before the first, since this process started.",
      samples: seconds(gauges.now - (activity.lastPollAt ?? activity.startedAt)),
    },
    {
      name: "since_last_heartbeat_seconds",
      type: "gauge",
      help: "Since a heartbeat was last answered, or, before the first, since this process started. It may grow for days while poll_after_seconds is not 0.",
      samples: seconds(gauges.now - (activity.lastHeartbeatAt ?? activity.startedAt)),
    },
    {
      name: "last_poll_timestamp_seconds",
      type: "gauge",
      help: "When a poll was last answered.",
      samples: seconds(activity.lastPollAt),
    },
    {
      name: "last_heartbeat_timestamp_seconds",
      type: "gauge",
      help: "When a heartbeat was last answered.",
      samples: seconds(activity.lastHeartbeatAt),
    },
    {
      name: "start_time_seconds",
      type: "gauge",
      help: "When this process started.",
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
