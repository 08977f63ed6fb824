import { violation } from "../checks/violation.ts";
import type { Violation } from "../checks/violation.ts";
import type { DatabaseTraffic } from "./database-proxy.ts";
import type { FloodOptions, FloodRecord } from "./flood.ts";
import { addCounts } from "./reason.ts";
import type { FloodEvent } from "./send.ts";

interface Window {
  probes: number;
  p50Ms: number;
}

export interface FloodFigures {
  database: string;
  fault: string;
  isolates: number;
  sent: number;
  accepted: number;
  finished: number;
  /** Requests of the flood beyond the first of each event. */
  repeated: number;
  refusals: Record<string, number>;
  /** Failed calls of the agents. */
  agentFailures: Record<string, number>;
  sentAllMs: number | null;
  /** Acceptance in calm, during the fault, and from ten seconds after its end. Null without a probe. */
  accept: { before: Window | null; during: Window | null; after: Window | null };
  /** Executions that were unfinished at the fault's end. */
  backlog: number;
  drainMs: number;
  /** Finished executions per second after the fault's end; null for a backlog too small to measure. */
  drainPerSecond: number | null;
  traffic: DatabaseTraffic;
  longestRow: number;
}

const ACCEPT_FACTOR_MAX = 1.5;
const DRAIN_FACTOR_MIN = 0.8;
/** A smaller share of the flood drains in too short a time to give a rate. */
const BACKLOG_SHARE_MIN = 0.2;

export function figuresOf(
  options: FloodOptions,
  record: FloodRecord,
  seen: Pick<FloodFigures, "traffic" | "longestRow" | "agentFailures">,
): FloodFigures {
  const { events, probes, floodAt, faultEndAt } = record;
  const accepted = events.filter(({ acceptMs }) => acceptMs !== null).length;
  const late = record.finished.filter((at) => at > faultEndAt);
  const isDrained = record.finished.length === accepted && record.sentAllMs !== null;
  const drainMs = isDrained ? Math.max(0, ...late.map((at) => at - faultEndAt)) : options.drainWithinMs;
  const refusals: Record<string, number> = {};
  for (const event of [...events, ...probes]) addCounts(refusals, event.refusals);
  const calm = options.fault === "none";
  const windowFrom = faultEndAt + options.afterWaitMs;
  return {
    database: options.database,
    fault: options.fault,
    isolates: options.isolates,
    sent: events.length,
    accepted,
    finished: record.finished.length,
    repeated: events.reduce((sum, { tries }) => sum + tries - 1, 0),
    refusals,
    sentAllMs: record.sentAllMs,
    accept: {
      before: windowOf(probes, 0, floodAt),
      during: windowOf(probes, floodAt, calm ? Number.POSITIVE_INFINITY : faultEndAt),
      after: calm ? null : windowOf(probes, windowFrom, Number.POSITIVE_INFINITY),
    },
    backlog: events.length - record.finished.length + late.length,
    drainMs,
    drainPerSecond: late.length < BACKLOG_SHARE_MIN * events.length ? null : (late.length / drainMs) * 1_000,
    ...seen,
  };
}

/** Whether the service recovers from a fault: its acceptance, and its pace against the run without a fault. */
export function recovers(figures: FloodFigures, calm: FloodFigures): Violation[] {
  const { before, after } = figures.accept;
  const found: Violation[] = [];
  if (figures.finished < figures.sent) {
    const left = figures.sent - figures.finished;
    found.push(violation("the backlog drains", `${left} of ${figures.sent} events are unfinished at the time limit`));
  }
  if (before !== null && after !== null && after.p50Ms > ACCEPT_FACTOR_MAX * before.p50Ms) {
    const detail = `p50 ${after.p50Ms.toFixed(1)} ms, above ${ACCEPT_FACTOR_MAX} × ${before.p50Ms.toFixed(1)} ms`;
    found.push(violation("acceptance recovers within ten seconds", detail));
  }
  if (figures.drainPerSecond !== null && calm.drainPerSecond !== null) {
    const share = figures.drainPerSecond / calm.drainPerSecond;
    if (share < DRAIN_FACTOR_MIN) {
      const detail = `${share.toFixed(2)} of the rate without a fault, below ${DRAIN_FACTOR_MIN}`;
      found.push(violation("the backlog drains at its rate without a fault", detail));
    }
  }
  return found;
}

function windowOf(probes: readonly FloodEvent[], from: number, to: number): Window | null {
  const times = probes.flatMap(({ sentAt, acceptMs }) => (sentAt >= from && sentAt < to ? [acceptMs ?? Infinity] : []));
  if (times.length === 0) return null;
  times.sort((a, b) => a - b);
  return { probes: times.length, p50Ms: times[Math.floor(times.length / 2)] ?? Infinity };
}
