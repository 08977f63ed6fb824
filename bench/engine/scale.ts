import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startLibsqlProcess } from "../libsql-process.ts";
import { latencyOf, medianOf, onLanes, pick, timed } from "./figures.ts";
import type { Latency } from "./figures.ts";
import { BYTES_PER_EXECUTION, fillExecutions } from "./fill.ts";
import type { Filled } from "./fill.ts";
import { storedReads } from "./reads.ts";
import { startEngineService } from "./service.ts";
import type { EngineWorker } from "./service.ts";
import { byHand, byWebhook } from "./throughput.ts";
import { createWebhookKeys, markedAction, publishManual } from "./workflows.ts";

/** The same calls with few and with many stored executions, alternating; each size has its own libSQL server. */
export interface Scale {
  small: Filled;
  large: Filled;
  /** Why there are fewer rows than requested. */
  note: string | null;
  calls: ScaledCall[];
}
export interface ScaledCall {
  call: string;
  small: Latency;
  large: Latency;
  /** The large database's p50 divided by the small one's. */
  ratio: number;
}

/** The limit for the ratio. */
export const RATIO_MAX = 1.3;

const SMALL_ROWS = 1_000;
const SEQUENTIAL = 200;
const LANES = 16;
const CONCURRENT = 640;
const BLOCKS = 20;
const READS = 100;
/** A read this slow is measured only a few times. */
const READ_LIMIT_MS = 5_000;
const READS_MIN = 4;
const TICKS = 20;
const STARTS_PER_KEY = 50;

type Size = "small" | "large";
const SIZES = ["small", "large"] as const;
type Workers = Record<Size, EngineWorker>;

export async function measureScale(directory: string, asked: number, now: number): Promise<Scale> {
  const { rows, note } = await roomFor(directory, asked);
  const small = await prepare(join(directory, "small.db"), SMALL_ROWS, now);
  const large = await prepare(join(directory, "large.db"), rows, now);
  const service = await startEngineService(directory, {
    small: { file: join(directory, "small.db") },
    large: { file: join(directory, "large.db") },
  });
  try {
    const { workers } = service;
    const calls = [
      ...(await measureWebhooks(workers)),
      ...(await measureStarts(workers)),
      ...(await measureReads(workers, now)),
      await alternating("the minute's tick", workers, TICKS, (worker) => worker.tick()),
    ];
    return { small, large, note, calls };
  } finally {
    await service.stop();
  }
}

async function roomFor(directory: string, asked: number): Promise<{ rows: number; note: string | null }> {
  const { bavail, bsize } = await statfs(directory);
  // The other half is for temporary files and for other programs.
  const room = Math.floor((bavail * bsize) / 2 / BYTES_PER_EXECUTION / 1_000) * 1_000;
  if (room >= asked) return { rows: asked, note: null };
  if (room < SMALL_ROWS * 2) throw new Error(`${directory} has no room for stored executions; free some or set TMPDIR`);
  return { rows: room, note: `${directory} has room for ${room} stored executions, not ${asked}` };
}

async function prepare(file: string, rows: number, now: number): Promise<Filled> {
  const libsql = await startLibsqlProcess(file);
  try {
    await migrateDatabase({ url: libsql.url });
  } finally {
    await libsql.stop();
  }
  return fillExecutions(file, rows, now);
}

async function measureWebhooks(workers: Workers): Promise<ScaledCall[]> {
  const keys = { small: await keysFor(workers.small), large: await keysFor(workers.large) };
  const found = { accepted1: samples(), finished1: samples(), accepted16: samples(), finished16: samples() };
  let calls = 0;
  const run = async (size: Size, index: number, accepted: number[], finished: number[]) => {
    const key = pick(keys[size], index);
    finished.push(await timed(() => byWebhook(workers[size], key, (ms) => void accepted.push(ms))));
  };
  for (let i = 0; i < SEQUENTIAL; i += 1, calls += 1) {
    for (const size of turns(i)) await run(size, calls, found.accepted1[size], found.finished1[size]);
  }
  for (let block = 0; block < BLOCKS; block += 1, calls += CONCURRENT / BLOCKS) {
    for (const size of turns(block)) {
      const base = calls;
      await onLanes(LANES, CONCURRENT / BLOCKS, (index) =>
        run(size, base + index, found.accepted16[size], found.finished16[size]),
      );
    }
  }
  return [
    compared("webhook, to its 200", found.accepted1),
    compared(`webhook, to its 200, ${LANES} at once`, found.accepted16),
    compared("webhook, to finished", found.finished1),
    compared(`webhook, to finished, ${LANES} at once`, found.finished16),
  ];
}

function keysFor(worker: EngineWorker) {
  return createWebhookKeys(worker, Math.ceil((SEQUENTIAL + CONCURRENT) / STARTS_PER_KEY));
}

async function measureStarts(workers: Workers): Promise<ScaledCall[]> {
  const workflow = { small: await single(workers.small), large: await single(workers.large) };
  const call = await alternating("start by hand, to finished", workers, SEQUENTIAL / 2, (worker, size) =>
    byHand(worker, workflow[size]),
  );
  return [call];
}

function single(worker: EngineWorker): Promise<string> {
  return publishManual(worker, { nodes: [markedAction(worker.connectionId)], edges: [] });
}

async function measureReads(workers: Workers, now: number): Promise<ScaledCall[]> {
  const calls: ScaledCall[] = [];
  const reads = { small: storedReads(workers.small, now), large: storedReads(workers.large, now) };
  for (const [index, { name }] of reads.small.entries()) {
    calls.push(await alternating(name, workers, READS, (_worker, size, turn) => pick(reads[size], index).read(turn)));
  }
  return calls;
}

/** Small and large alternate. The first of each pair alternates, too. */
async function alternating(
  call: string,
  workers: Workers,
  count: number,
  run: (worker: EngineWorker, size: Size, turn: number) => Promise<void>,
): Promise<ScaledCall> {
  const found = samples();
  for (const size of SIZES) await run(workers[size], size, 0);
  const startedAt = performance.now();
  for (let i = 0; i < count; i += 1) {
    if (i >= READS_MIN && performance.now() - startedAt > READ_LIMIT_MS) break;
    for (const size of turns(i)) found[size].push(await timed(() => run(workers[size], size, i)));
  }
  return compared(call, found);
}

function turns(index: number): readonly Size[] {
  return index % 2 === 0 ? SIZES : SIZES.toReversed();
}

function samples(): Record<Size, number[]> {
  return { small: [], large: [] };
}

function compared(call: string, { small, large }: Record<Size, number[]>): ScaledCall {
  return { call, small: latencyOf(small), large: latencyOf(large), ratio: medianOf(large) / medianOf(small) };
}
