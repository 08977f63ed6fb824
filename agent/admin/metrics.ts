import { jobResultStatusSchema } from "../../schema/contract/agent.ts";
import type { Activity } from "../activity.ts";

/** What is measured beside `Activity`, at the moment of asking. */
export interface Gauges {
  version: string;
  runningJobs: number;
  maxConcurrentJobs: number;
  owedResults: number;
  journalWritable: boolean;
  credentials: number;
  residentBytes: number;
}

interface Metric {
  name: string;
  type: "gauge" | "counter";
  help: string;
  samples: { labels?: string; value: number }[];
}

/** `GET /metrics`: the text format of Prometheus, version 0.0.4. */
export function renderMetrics(activity: Activity, gauges: Gauges): string {
  const one = (value: number) => [{ value }];
  const seconds = (ms: number | null) => one(ms === null ? 0 : ms / 1_000);
  const metrics: Metric[] = [
    {
      name: "info",
      type: "gauge",
      help: "The version of this agent.",
      samples: [{ labels: `version="${gauges.version}"`, value: 1 }],
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
        labels: `status="${status}"`,
        value: activity.finishedJobs[status],
      })),
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
  return metrics.map(render).join("");
}

function render({ name, type, help, samples }: Metric): string {
  const full = `bellhop_agent_${name}`;
  const lines = samples.map(({ labels, value }) => `${full}${labels === undefined ? "" : `{${labels}}`} ${value}`);
  return [`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`, ...lines, ""].join("\n");
}
