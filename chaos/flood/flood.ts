import type { DatabaseName } from "../database-program.ts";
import type { DatabaseFault, DatabaseProxy } from "./database-proxy.ts";
import type { Isolate } from "./isolates.ts";
import { sendFlood, sendProbes } from "./send.ts";
import type { FloodEvent } from "./send.ts";

export interface FloodOptions {
  directory: string;
  database: DatabaseName;
  fault: DatabaseFault;
  workflows: number;
  eventsPerWorkflow: number;
  /** How many workerd processes share the database. Each has at least one of the workflows. */
  isolates: number;
  faultMs: number;
  /** How long acceptance is measured before the flood, and again from `afterWaitMs` after the fault's end. */
  probeMs: number;
  afterWaitMs: number;
  drainWithinMs: number;
}

/** What happened in a flood. Times are those of `performance.now()`. */
export interface FloodRecord {
  events: FloodEvent[];
  probes: FloodEvent[];
  floodAt: number;
  faultEndAt: number;
  /** From the flood's first request to its last 200; null when events were left. */
  sentAllMs: number | null;
  /** The times at which executions of the flood had finished. */
  finished: number[];
}

const LOOK_EVERY_MS = 50;

/** Calm, then fault and flood together, the fault's end, and the drain. */
export async function flood(
  options: FloodOptions,
  isolates: readonly Isolate[],
  proxy: DatabaseProxy,
): Promise<FloodRecord> {
  const { fault, probeMs, afterWaitMs } = options;
  const record: FloodRecord = { events: [], probes: [], floodAt: 0, faultEndAt: 0, sentAllMs: null, finished: [] };
  const [givenUp, probed] = [new AbortController(), new AbortController()];
  const until = { until: probeMs === 0 ? AbortSignal.abort() : probed.signal, signal: givenUp.signal };
  const probes = isolates.flatMap((isolate) => isolate.probes);
  const probing = sendProbes(probes, record.probes, until);
  await Bun.sleep(probeMs);
  record.floodAt = performance.now();
  proxy.fault = fault;
  const webhooks = isolates.flatMap((isolate) => isolate.webhooks);
  const sending = sendFlood(webhooks, options.eventsPerWorkflow, record.events, givenUp.signal).then(() => {
    if (!givenUp.signal.aborted) record.sentAllMs = performance.now() - record.floodAt;
    return undefined;
  });
  if (fault !== "none") await Bun.sleep(options.faultMs);
  proxy.fault = "none";
  // The run without a fault is measured from its beginning.
  record.faultEndAt = fault === "none" ? record.floodAt : performance.now();
  const deadline = record.faultEndAt + options.drainWithinMs;
  await waitFor(() => record.sentAllMs !== null && areFinished(record.events, isolates), deadline);
  if (fault !== "none") await Bun.sleep(Math.max(0, record.faultEndAt + afterWaitMs + probeMs - performance.now()));
  probed.abort();
  await waitFor(() => areFinished([...record.events, ...record.probes], isolates), deadline);
  givenUp.abort();
  await Promise.all([probing, sending]);
  const finished = finishedMarks(isolates);
  record.finished = record.events.flatMap(({ mark }) => finished.get(mark) ?? []);
  return record;
}

async function waitFor(isDone: () => boolean, deadline: number): Promise<void> {
  while (performance.now() < deadline && !isDone()) await Bun.sleep(LOOK_EVERY_MS);
}

/** Every event is accepted and its execution has finished. */
function areFinished(events: readonly FloodEvent[], isolates: readonly Isolate[]): boolean {
  const finished = finishedMarks(isolates);
  return events.every(({ mark }) => finished.has(mark));
}

/** The marks of finished executions, with the time of the acknowledgement. */
function finishedMarks(isolates: readonly Isolate[]): Map<string, number> {
  const jobs = isolates.flatMap(({ agent }) => [...agent.jobs.values()]);
  return new Map(jobs.flatMap(({ mark, ackedAt }) => (ackedAt === null ? [] : [[mark, ackedAt] as const])));
}
