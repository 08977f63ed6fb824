import type { DispatchBench } from "./index.ts";
import type { BacklogFigure } from "./backlog.ts";
import { OBJECT_ROWS_MAX, WORKER_REQUESTS_MAX } from "./idle.ts";
import type { IdleCost } from "./idle.ts";
import { STARTED_P50_MAX_MS, STARTED_P99_MAX_MS } from "./latency.ts";
import type { DispatchLatency } from "./latency.ts";
import { RATIO_MAX } from "./pool-scale.ts";
import type { PoolFigures, PoolScale } from "./pool-scale.ts";
import type { Spread } from "./spread.ts";

export function describeDispatch({ latency, pools, idle, backlog }: DispatchBench): string {
  return [...latency.flatMap(latencyLines), ...poolLines(pools), ...idleLines(idle), ...backlogLines(backlog)].join(
    "\n",
  );
}

const STAGE_NAMES = {
  accepted: "webhook answered 200",
  queued: "job queued",
  woken: "agent woken",
  fetched: "job fetched",
  started: "command started",
  reported: "result reported",
  finished: "execution finished",
} as const;

function latencyLines({ wakeSocket, pollIntervalSeconds, stages }: DispatchLatency): string[] {
  const samples = stages[0]?.sinceWebhook.samples ?? 0;
  const how = wakeSocket ? "with the wake socket" : `with WAKE_SOCKET=off and POLL_INTERVAL=${pollIntervalSeconds}`;
  const started = stages.find(({ stage }) => stage === "started")?.sinceWebhook;
  return [
    `${samples} webhooks one after the other, ${how}, in ms${" ".repeat(8)}since the webhook        of that, since the stage before`,
    ...stages.map(({ stage, sinceWebhook, sinceStageBefore }) =>
      `  ${STAGE_NAMES[stage].padEnd(22)} ${spread(sinceWebhook)}     ${stage === "accepted" ? "" : spread(sinceStageBefore)}`.trimEnd(),
    ),
    "  (queued, reported and finished are by the service's clock, in whole milliseconds)",
    ...(wakeSocket && started !== undefined ? [verdict(started)] : []),
  ];
}

function spread({ p50Ms, p90Ms, p99Ms, maxMs }: Spread): string {
  const of = (value: number) => value.toFixed(1).padStart(7);
  return `p50 ${of(p50Ms)}  p90 ${of(p90Ms)}  p99 ${of(p99Ms)}  max ${of(maxMs)}`;
}

function verdict({ p50Ms, p99Ms }: Spread): string {
  const say = (isWithin: boolean) => (isWithin ? "within" : "OVER");
  return `  webhook to command: p50 ${p50Ms.toFixed(1)} ms, ${say(p50Ms <= STARTED_P50_MAX_MS)} ${STARTED_P50_MAX_MS}; p99 ${p99Ms.toFixed(1)} ms, ${say(p99Ms <= STARTED_P99_MAX_MS)} ${STARTED_P99_MAX_MS}`;
}

function poolLines({ pools, ratios }: PoolScale): string[] {
  return [
    "one pool, calls in turns with those of the other sizes",
    ...pools.map(poolLine),
    ...ratios.map(({ agents, ...measured }) => {
      const parts = Object.entries(measured).map(
        ([name, ratio]) => `${name} ${ratio.toFixed(2)}${ratio > RATIO_MAX ? ` OVER ${RATIO_MAX}` : ""}`,
      );
      return `  ${agents} agents against ${pools[0]?.agents ?? 0} (p50): ${parts.join(", ")}`;
    }),
    "  (dispatch: a job ordered, stored and reserved for an agent, by RPC; choice: the rule alone, in this process)",
  ];
}

function poolLine(figures: PoolFigures): string {
  const call = ({ p50Ms, p99Ms }: { p50Ms: number; p99Ms: number }) => `${p50Ms.toFixed(2)} (p99 ${p99Ms.toFixed(2)})`;
  const mb = (value: number | null) => (value === null ? "unknown" : value.toFixed(0));
  const { agents, poll, heartbeat, dispatch, choiceMicros, residentMb, pollKeyNotKept } = figures;
  const notKept =
    pollKeyNotKept === null ? "" : `, poll whose key only the session vouches for ${call(pollKeyNotKept)}`;
  return `  ${String(agents).padStart(6)} agents: poll ${call(poll)} ms, heartbeat ${call(heartbeat)}, dispatch ${call(dispatch)}, choice ${choiceMicros.toFixed(2)} µs, workerd ${mb(residentMb.empty)} → ${mb(residentMb.filled)} MB${notKept}`;
}

const IDLE_ROWS: readonly { of: keyof IdleCost["perAgentDay"]; name: string; max?: number }[] = [
  { of: "workerRequests", name: "requests to the Worker", max: WORKER_REQUESTS_MAX },
  { of: "objectRequests", name: "Durable Object requests" },
  { of: "pings", name: "pings" },
  { of: "objectRowsRead", name: "object rows read" },
  { of: "objectRowsWritten", name: "object rows written", max: OBJECT_ROWS_MAX },
  { of: "libsqlRequests", name: "libSQL requests" },
  { of: "libsqlReadStatements", name: "libSQL reads" },
  { of: "libsqlRowsWritten", name: "libSQL rows written" },
];

/** A table with one column per pool. */
function idleLines(costs: readonly IdleCost[]): string[] {
  const line = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(24)}${cells.map((cell) => cell.padStart(10)).join("")}`;
  const sizes = costs.map(({ agents }) => String(agents));
  const lost = costs.reduce((sum, { socketsLost }) => sum + socketsLost, 0);
  return [
    `an agent with nothing to do, its wake socket open, for a day (${costs[0]?.seconds.toFixed(0) ?? 0} s, scaled)`,
    line("agents in the pool", sizes),
    ...IDLE_ROWS.map(({ of, name, max }) => {
      const counts = costs.map(({ perAgentDay }) => perAgentDay[of]);
      const isWithin = counts.every((count) => count <= (max ?? count));
      const verdict = max === undefined ? "" : `   ${isWithin ? "within" : "OVER"} ${max}`;
      return `${line(name, counts.map(shown))}${verdict}`;
    }),
    ...(lost === 0 ? [] : [`  (${lost} wake sockets were lost and opened again: the machine was too busy)`]),
  ];
}

function backlogLines(figures: readonly BacklogFigure[]): string[] {
  return [
    "a poll that finds nothing while jobs of an agent that is away wait in its pool",
    ...figures.map(({ waiting, p50Ms, p99Ms, ratio }) => {
      const over = ratio > RATIO_MAX ? ` OVER ${RATIO_MAX}` : "";
      return `  ${String(waiting).padStart(6)} waiting: p50 ${p50Ms.toFixed(2)} ms (p99 ${p99Ms.toFixed(2)}), ratio ${ratio.toFixed(2)}${over}`;
    }),
  ];
}

function shown(count: number): string {
  return count < 10 ? count.toFixed(1) : count.toFixed(0);
}
