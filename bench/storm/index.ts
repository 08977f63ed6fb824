import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { BATCH_EVENTS_MAX } from "../../schema/limits.ts";
import { latencyOf, medianOf, onLanes, timed } from "../engine/figures.ts";
import type { Latency } from "../engine/figures.ts";
import { startEngineService } from "../engine/service.ts";
import type { EngineWorker } from "../engine/service.ts";

/** Incidents of one service in a storm: what joining one run costs, compared with a run for each and with none. */
export interface StormBench {
  events: number;
  /** The time until every event had its run, and until all were created. */
  allInRunsMs: number;
  createdMs: number;
  eventsPerMinute: number;
  runs: number;
  /** Each event is in exactly one run. */
  lost: number;
  doubled: number;
  /** The answers to `POST /incidents` in the storm. */
  answers: Latency;
  /** From three alternating rounds of 500 events: medians, and as ratios of a service without a workflow. */
  rounds: Record<Way, { p50Ms: number; ratio: number; writeBatchesPerEvent: number }>;
}

/** No workflow, one whose events join one run, or one run for each event. */
type Way = "none" | "joined" | "each";
const WAYS: readonly Way[] = ["none", "joined", "each"];

export const STORM_EVENTS = 10_000;
const ROUNDS = 3;
const ROUND_EVENTS = 500;
const LANES = 16;
const MATCH_MAX_MS = 120_000;

export async function benchStorm(events: number, progress: (what: string) => void): Promise<StormBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const service = await startEngineService(directory, { storm: { file: join(directory, "storm.db"), counted: true } });
  try {
    const worker = service.workers.storm;
    const workflows = {
      joined: await workflowOf(worker, { windowSeconds: 3_600 }),
      each: await workflowOf(worker, null),
    };
    const measured = new Map<Way, { p50Ms: number; writeBatches: number }[]>(WAYS.map((way) => [way, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const way of WAYS) {
        progress(`${way}, round ${round + 1} of ${ROUNDS}`);
        if (way !== "none") await set(worker, workflows[way], "activate");
        worker.proxy?.take();
        const answers = await fire(worker, ROUND_EVENTS);
        await untilMatched(worker);
        const { writeBatches } = worker.proxy?.take() ?? { writeBatches: Number.NaN };
        measured.get(way)?.push({ p50Ms: latencyOf(answers).p50Ms, writeBatches });
        if (way !== "none") await set(worker, workflows[way], "deactivate");
      }
    }
    progress(`a storm of ${events} events`);
    const storm = await workflowOf(worker, { windowSeconds: 3_600 });
    await set(worker, storm, "activate");
    let answers: number[] = [];
    let createdMs = 0;
    const allInRunsMs = await timed(async () => {
      createdMs = await timed(async () => {
        answers = await fire(worker, events);
      });
      await untilMatched(worker);
    });
    return {
      events,
      allInRunsMs,
      createdMs,
      eventsPerMinute: Math.round((events / allInRunsMs) * 60_000),
      ...countRuns(worker, storm, events),
      answers: latencyOf(answers),
      rounds: roundsOf(measured),
    };
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeStorm({ events, runs, lost, doubled, rounds, ...storm }: StormBench): string {
  const round = (way: Way) => {
    const { p50Ms, ratio, writeBatchesPerEvent } = rounds[way];
    return `  ${way.padEnd(8)} p50 of an answer ${p50Ms.toFixed(1)} ms (${ratio.toFixed(2)} x), ${writeBatchesPerEvent.toFixed(2)} write batches an event`;
  };
  return [
    `${events} incidents of one service: ${(storm.allInRunsMs / 1_000).toFixed(1)} s until each had its run (${storm.eventsPerMinute} a minute), ${runs} runs of at most ${BATCH_EVENTS_MAX} events`,
    `  ${lost} events lost, ${doubled} in two runs; p50 of an answer ${storm.answers.p50Ms.toFixed(1)} ms, p99 ${storm.answers.p99Ms.toFixed(1)} ms`,
    `${ROUND_EVENTS} incidents, medians of ${ROUNDS} rounds:`,
    ...WAYS.map(round),
  ].join("\n");
}

function roundsOf(measured: ReadonlyMap<Way, { p50Ms: number; writeBatches: number }[]>): StormBench["rounds"] {
  const figure = (way: Way) => {
    const of = measured.get(way) ?? [];
    const base = medianOf((measured.get("none") ?? []).map(({ p50Ms }) => p50Ms));
    const p50Ms = medianOf(of.map((one) => one.p50Ms));
    const batches = medianOf(of.map(({ writeBatches }) => writeBatches));
    return { p50Ms, ratio: p50Ms / base, writeBatchesPerEvent: batches / ROUND_EVENTS };
  };
  return { none: figure("none"), joined: figure("joined"), each: figure("each") };
}

async function workflowOf({ api }: EngineWorker, coalesce: object | null): Promise<string> {
  const { id } = await api.post(
    "/workflows",
    {
      name: `storm ${crypto.randomUUID()}`,
      trigger: { type: "incident", events: ["incident.created"], ...(coalesce === null ? {} : { coalesce }) },
      definition: { nodes: [{ id: "wait", type: "delay", seconds: 86_400 }], edges: [] },
    },
    z.object({ id: z.string() }),
  );
  await set({ api }, id, "publish");
  return id;
}

async function set({ api }: Pick<EngineWorker, "api">, id: string, verb: string): Promise<void> {
  await api.post(`/workflows/${id}/${verb}`, {}, z.unknown());
}

/** The duration of each answer, in milliseconds. */
async function fire({ api }: EngineWorker, count: number): Promise<number[]> {
  const answers: number[] = [];
  await onLanes(LANES, count, async (index) => {
    const body = { title: `Port ${index} is down`, service: "switch" };
    answers.push(await timed(() => api.post("/incidents", body, z.unknown())));
  });
  return answers;
}

async function untilMatched({ database, tick }: EngineWorker): Promise<void> {
  const open = database.query("SELECT 1 FROM incident_events WHERE matched_at IS NULL LIMIT 1");
  const deadline = performance.now() + MATCH_MAX_MS;
  while (open.get() !== null) {
    if (performance.now() > deadline) throw new Error("the events did not get their runs");
    await Bun.sleep(50);
    if (performance.now() > deadline - MATCH_MAX_MS / 2) await tick();
  }
}

function countRuns({ database }: EngineWorker, workflowId: string, events: number) {
  const counts = z.object({ runs: z.number(), joined: z.number(), distinct: z.number() }).parse(
    database
      .query(
        `SELECT count(DISTINCT execution_id) runs, count(trigger_key) joined, count(DISTINCT trigger_key) "distinct"
           FROM batched_events WHERE workflow_id = ?`,
      )
      .get(workflowId),
  );
  return { runs: counts.runs, lost: events - counts.distinct, doubled: counts.joined - counts.distinct };
}
