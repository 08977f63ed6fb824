import type { Evidence } from "./evidence.ts";
import { kindOf } from "./workflows.ts";

export interface Figures {
  eventsAccepted: number;
  /** Requests of senders, retries included. */
  requestsSent: number;
  duplicatesAnswered: number;
  executions: Record<string, number>;
  /** By a maintenance window. */
  executionsHeld: number;
  jobs: Record<string, number>;
  faults: Record<string, number>;
  /** Requests that met a fate, by link and fate. */
  fates: Record<string, number>;
  scriptsRun: number;
  /** Requests that reached the target, for reads and updates. */
  targetRequests: number;
  leases: number;
  jobsLost: number;
  lateResults: number;
  failureRuns: number;
  /** Messages of notification rules, and the requests that brought them. */
  notices: number;
  noticeRequests: number;
  connectionTests: { asked: number; ok: number };
  /** From an event's acceptance to the first line of its first script, in milliseconds. */
  startCalm: Distribution;
  startUnderFaults: Distribution;
  restMs: number;
}

export interface Distribution {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

/** How long the system may take to recover from a fault before its times count as calm. */
const RECOVERY_MS = 5_000;

export function figuresOf(
  evidence: Evidence,
  also: {
    fates: ReadonlyMap<string, number>;
    tests: Figures["connectionTests"];
    requests: number;
    restMs: number;
  },
): Figures {
  const { events, executions, jobs, faults, runs, journals, lateResults, notices } = evidence;
  const starts = startTimes(evidence);
  const calm = ({ at, ms }: { at: number; ms: number }) =>
    !faults.some(({ fromMs, toMs }) => fromMs <= at + ms && at <= toMs + RECOVERY_MS);
  return {
    eventsAccepted: events.filter(({ acceptedAt }) => acceptedAt !== null).length,
    requestsSent: events.reduce((sum, { tries }) => sum + tries, 0),
    duplicatesAnswered: events.reduce((sum, { deduplicated }) => sum + deduplicated, 0),
    executions: countBy(executions, ({ status }) => status),
    executionsHeld: executions.filter(({ heldBy }) => heldBy !== null).length,
    jobs: countBy(jobs, ({ status, errorCode }) => (status === "failed" ? `failed ${errorCode ?? ""}`.trim() : status)),
    faults: countBy(faults, ({ fault }) => ("target" in fault ? `${fault.kind} ${fault.target}` : nameOf(fault))),
    fates: Object.fromEntries([...also.fates].sort(([a], [b]) => a.localeCompare(b))),
    scriptsRun: runs.length,
    targetRequests: also.requests,
    leases: journals.reduce((sum, { records }) => sum + records.filter(({ type }) => type === "began").length, 0),
    jobsLost: jobs.filter(({ errorCode }) => errorCode === "agent_lost" || errorCode === "interrupted").length,
    lateResults: lateResults.length,
    failureRuns: executions.filter(({ kind }) => kindOf(kind).trigger === "failure").length,
    notices: new Set(notices.map(({ id }) => id)).size,
    noticeRequests: notices.length,
    connectionTests: also.tests,
    startCalm: distribution(starts.filter(calm).map(({ ms }) => ms)),
    startUnderFaults: distribution(starts.filter((start) => !calm(start)).map(({ ms }) => ms)),
    restMs: also.restMs,
  };
}

/** For webhooks whose first node is a script, and whose runs do not wait for each other. */
function startTimes({ events, runs }: Evidence): { at: number; ms: number }[] {
  const first = new Map<string, number>();
  for (const { key, beganAt } of runs) first.set(key, Math.min(beganAt, first.get(key) ?? Number.POSITIVE_INFINITY));
  return events.flatMap(({ key, kind, startedAt }) => {
    const began = first.get(key);
    if (began === undefined || startedAt === null || kindOf(kind).trigger !== "webhook" || kindOf(kind).waits)
      return [];
    return [{ at: startedAt, ms: began - startedAt }];
  });
}

export function distribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}

function nameOf(fault: { kind: string; weather?: string; link?: string; objects?: string }): string {
  return [fault.kind, fault.weather, fault.link ?? fault.objects].filter((part) => part !== undefined).join(" ");
}

function countBy<T>(items: readonly T[], nameFor: (item: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(nameFor(item), (counts.get(nameFor(item)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)));
}
