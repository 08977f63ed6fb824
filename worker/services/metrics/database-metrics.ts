import type { Metric, Sample } from "../../../schema/contract/exposition.ts";
import type { Hold } from "../../../schema/contract/hold.ts";
import { suppressedAsSchema } from "../../../schema/contract/maintenance.ts";
import { deliveryRefusalSchema } from "../../../schema/contract/webhook-delivery.ts";
import { single } from "../../../schema/contract/exposition.ts";
import { quantiles } from "../../domain/metrics/quantiles.ts";
import type { DatabaseFigures } from "../../store/metrics.ts";
import { ALERT_TOTALS } from "../../store/totals.ts";
import { mintedAt } from "../ids.ts";
import type { UnusableCredentials } from "./count-unusable.ts";
import { traceMetrics } from "./trace-metrics.ts";

const FINISHED_EXECUTIONS = ["succeeded", "failed", "cancelled"] as const;
const HOLDS = ["concurrency", "collecting", "maintenance"] as const satisfies readonly Hold["code"][];
const TARGET_REFUSERS = ["service", "agent"] as const;
const FINISHED_JOBS = ["succeeded", "failed", "timed_out", "cancelled"] as const;
/** Anything that is late by less may still be under way. */
export const LATE_AFTER_MS = 120_000;
/** The span that latencies cover. */
export const LATENCY_WINDOW_MS = 300_000;

/** The database's figures as metrics. `now` is when they were read (epoch ms). */
export function databaseMetrics(figures: DatabaseFigures, unusable: UnusableCredentials | null, now: number): Metric[] {
  const totals = new Map(figures.totals.map(({ name, value }) => [name, value]));
  const total = (name: string) => totals.get(name) ?? 0;
  const { running } = figures;
  const oldestStart = running.oldestId === null ? null : mintedAt("execution", running.oldestId);
  return [
    {
      name: "bellhop_executions_finished_total",
      type: "counter",
      help: "Executions that have ended, by status, since the deployment began.",
      samples: FINISHED_EXECUTIONS.map((status) => ({ labels: { status }, value: total(`executions:${status}`) })),
    },
    {
      name: "bellhop_jobs_finished_total",
      type: "counter",
      help: "Jobs of executions that have ended, by status, since the deployment began.",
      samples: FINISHED_JOBS.map((status) => ({ labels: { status }, value: total(`jobs:${status}`) })),
    },
    counter("bellhop_schedule_missed_runs_total", "Scheduled runs that could not start in time.", total("missedRuns")),
    counter(
      "bellhop_executions_queue_full_total",
      "Executions that did not begin because too many others with their key waited.",
      total("queueFull"),
    ),
    counter(
      "bellhop_executions_skipped_total",
      "Executions that did not begin because another one with their key had not ended.",
      total("skippedBusy"),
    ),
    counter(
      "bellhop_executions_superseded_total",
      "Executions that a newer one with their key ended.",
      total("superseded"),
    ),
    counter(
      "bellhop_limit_reached_total",
      "How often a limit kept an unsafe action from being ordered.",
      total("limitReached"),
    ),
    {
      name: "bellhop_targets_refused_total",
      type: "counter",
      help: "Actions that were not run because their connection does not allow their target, by who refused.",
      samples: TARGET_REFUSERS.map((by) => ({ labels: { by }, value: total(`targetRefused:${by}`) })),
    },
    {
      name: "bellhop_executions_suppressed_total",
      type: "counter",
      help: "Executions that a maintenance window kept from beginning, by what it did with them.",
      samples: suppressedAsSchema.options.map((as) => ({ labels: { as }, value: total(`suppressed:${as}`) })),
    },
    gauge("bellhop_maintenance_windows_open", "Maintenance windows that are open.", figures.openWindows),
    {
      name: "bellhop_executions_held",
      type: "gauge",
      help: "Executions that have not begun, by what they wait for.",
      samples: HOLDS.map((reason) => ({
        labels: { reason },
        value: figures.held.find(({ code }) => code === reason)?.count ?? 0,
      })),
    },
    counter(
      "bellhop_incident_batches_total",
      "Executions that collected incident events with their key.",
      total("batches"),
    ),
    counter(
      "bellhop_incident_events_joined_total",
      "Incident events that joined the run of an earlier one.",
      total("eventsJoined"),
    ),
    {
      name: "bellhop_alerts_total",
      type: "counter",
      help: "Alerts and events of integrations that changed an incident or were rejected, by outcome.",
      samples: ALERT_TOTALS.map((outcome) => ({ labels: { outcome }, value: total(`alerts:${outcome}`) })),
    },
    counter(
      "bellhop_webhook_repeated_total",
      "Deliveries of webhooks that repeated an event and started nothing.",
      total("deliveries:repeated"),
    ),
    {
      name: "bellhop_webhook_refused_total",
      type: "counter",
      help: "Deliveries of webhooks that were refused, by reason. Of a flood, only those that reached the webhook.",
      samples: deliveryRefusalSchema.options.map((reason) => ({
        labels: { reason },
        value: total(`deliveries:${reason}`),
      })),
    },
    gauge("bellhop_approvals_waiting", "Steps that wait for a person's answer.", figures.approvals.count),
    gauge(
      "bellhop_oldest_waiting_approval_age_seconds",
      "Time since the oldest step that waits for a person's answer asked; 0 when none waits.",
      secondsSince(figures.approvals.oldestAt, now),
    ),
    gauge(
      "bellhop_failures_unreported",
      "Failed executions whose failure workflows have not all started.",
      figures.unreportedFailures.count,
    ),
    gauge(
      "bellhop_oldest_unreported_failure_age_seconds",
      "Time since the oldest of these executions ended; 0 without any.",
      secondsSince(figures.unreportedFailures.oldestAt, now),
    ),
    gauge("bellhop_executions_running", "Executions that have begun and not ended.", running.count),
    gauge(
      "bellhop_oldest_running_execution_age_seconds",
      "Time since the oldest running execution was started; 0 when none runs.",
      secondsSince(oldestStart, now),
    ),
    gauge(
      "bellhop_executions_overdue",
      "Executions that should have continued over two minutes ago.",
      figures.overdueExecutions,
    ),
    ...unfinishedMetrics(figures, now),
    ...latencyMetrics(figures),
    {
      name: "bellhop_incidents_open",
      type: "gauge",
      help: "Incidents that are not resolved.",
      samples: figures.openIncidents.map(({ status, severity, count }) => ({
        labels: { status, severity },
        value: count,
      })),
    },
    gauge(
      "bellhop_oldest_unmatched_incident_event_age_seconds",
      "Time since the oldest event that is not yet matched with workflows; 0 when all are matched.",
      secondsSince(figures.oldestUnmatchedEventAt, now),
    ),
    {
      name: "bellhop_credentials_not_delivered",
      type: "gauge",
      help: "Credentials of a connection that an agent lacks or must not use, by status.",
      samples: [
        ...(["pending", "failed", "expired"] as const).map((status) => ({
          labels: { status },
          value: figures.credentials.find((row) => row.status === status)?.count ?? 0,
        })),
        ...Object.entries(unusable ?? {}).map(([status, value]) => ({ labels: { status }, value })),
      ],
    },
    {
      name: "bellhop_connections",
      type: "gauge",
      help: "Connections by type and whether they are enabled.",
      samples: figures.connections.map(({ type, enabled, count }) => ({
        labels: { type, enabled: String(enabled) },
        value: count,
      })),
    },
    {
      name: "bellhop_workflows",
      type: "gauge",
      help: "Workflows by the trigger of their published version and whether they are active.",
      samples: figures.workflows.map(({ trigger, active, count }) => ({
        labels: { trigger: trigger ?? "unpublished", active: String(active) },
        value: count,
      })),
    },
    gauge(
      "bellhop_schedule_delay_seconds",
      "Delay of the most overdue schedule; 0 when none is overdue.",
      secondsSince(figures.earliestNextRunAt, now),
    ),
    ...traceMetrics(figures, total, now),
  ];
}

/** People name pools. Agents without a pool share one sample, and so do the service's own jobs. */
function unfinishedMetrics({ unfinishedJobs }: DatabaseFigures, now: number): Metric[] {
  const held = new Map<string, { labels: Record<string, string>; count: number; oldest: number }>();
  for (const { poolObject, count, oldestQueuedAt } of unfinishedJobs) {
    const holder = poolObject.slice(0, poolObject.indexOf(":"));
    const pool = holder === "pool" ? poolObject.slice("pool:".length) : "";
    const known = held.get(`${holder}:${pool}`);
    held.set(`${holder}:${pool}`, {
      labels: { holder, pool },
      count: (known?.count ?? 0) + count,
      oldest: Math.min(known?.oldest ?? oldestQueuedAt, oldestQueuedAt),
    });
  }
  const samples = (valueOf: (one: { count: number; oldest: number }) => number): Sample[] =>
    [...held.values()].map((one) => ({ labels: one.labels, value: valueOf(one) }));
  return [
    {
      name: "bellhop_jobs_unfinished",
      type: "gauge",
      help: "Jobs that have not ended, waiting or running, by holder: a pool, an agent without a pool, or the service's notifier.",
      samples: samples(({ count }) => count),
    },
    {
      name: "bellhop_oldest_unfinished_job_age_seconds",
      type: "gauge",
      help: "Time since the oldest job that has not ended was ordered.",
      samples: samples(({ oldest }) => secondsSince(oldest, now)),
    },
  ];
}

function latencyMetrics({ dispatches, startDelaysMs }: DatabaseFigures): Metric[] {
  const between = (from: keyof (typeof dispatches)[number], to: keyof (typeof dispatches)[number]) =>
    dispatches.flatMap((job) => {
      const [a, b] = [job[from], job[to]];
      return a === null || b === null ? [] : [Math.max(0, b - a)];
    });
  const stages = {
    assigned: between("queuedAt", "assignedAt"),
    delivered: between("assignedAt", "deliveredAt"),
    started: between("deliveredAt", "startedAt"),
    reported: between("startedAt", "reportedAt"),
    queued_to_started: between("queuedAt", "startedAt"),
  };
  return [
    {
      name: "bellhop_dispatch_stage_seconds",
      type: "summary",
      help: "Time from one stage to the next of jobs of the last five minutes that have ended; quantiles. Times on the agent are by the agent's clock.",
      samples: Object.entries(stages).flatMap(([stage, values]) => shown({ stage }, values)),
    },
    gauge(
      "bellhop_dispatch_window_jobs",
      "Jobs that bellhop_dispatch_stage_seconds is computed from, at most the newest 1000.",
      dispatches.length,
    ),
    {
      name: "bellhop_execution_start_delay_seconds",
      type: "summary",
      help: "Time from an event's acceptance to the first step of its execution, of the newest executions of the last five minutes; quantiles.",
      samples: shown({}, startDelaysMs),
    },
  ];
}

function shown(labels: Record<string, string>, valuesMs: readonly number[]): Sample[] {
  return quantiles(valuesMs).map(({ quantile, value }) => ({ labels: { ...labels, quantile }, value: value / 1_000 }));
}

function counter(name: string, help: string, value: number): Metric {
  return { name, type: "counter", help, samples: single(value) };
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, type: "gauge", help, samples: single(value) };
}

function secondsSince(at: number | null, now: number): number {
  return at === null ? 0 : Math.max(0, now - at) / 1_000;
}
