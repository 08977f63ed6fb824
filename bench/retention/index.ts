import { Database } from "bun:sqlite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";
import { fillExecutions } from "../engine/fill.ts";
import { startLibsqlProcess } from "../libsql-process.ts";
import { load } from "../load.ts";
import type { LoadResult } from "../load.ts";
import { ADMIN_TOKEN, createTargets } from "../webhook-service.ts";
import { requestsTo } from "../webhook.ts";

/** Webhooks while old executions are deleted without a pause between the passes, compared with the time before. */
export interface RetentionBench {
  /** Stored executions, each with about six rows. */
  executions: number;
  rounds: Round[];
  /** The median of the rounds: p50 beside the deletion, divided by p50 without it. */
  p50Ratio: number;
}
interface Round {
  quiet: Figures;
  deleting: Figures;
  /** Loads beside the deletion; `deleting` is their mean. */
  loads: number;
  /** Executions that were deleted during them: at least a portion, after everything that belongs to the one before. */
  deleted: number;
}
type Figures = Pick<LoadResult, "rps" | "p50Ms" | "p99Ms">;

export const OLD_EXECUTIONS = 170_000;
const ROUNDS = 3;
const CONNECTIONS = 4;
const KEYS_PER_LOAD = 20;
const SETTLE_MS = 60_000;
/** At most so many of the old executions run, and stay. */
const RUNNING = 100;
/** A turn of the deletion takes about as long as a load. */
const LOADS_MAX = 10;
/** Older than every default period. */
const AGE_MS = 300 * 24 * 60 * 60_000;

export async function benchRetention(executions: number, progress: (what: string) => void): Promise<RetentionBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const file = join(directory, "bellhop.db");
  progress(`filling in ${executions} old executions`);
  await prepare(file, executions);
  const libsql = await startLibsqlProcess(file);
  const worker = await startWorker({
    script: await bundleWorker("worker/index.ts"),
    persistTo: join(directory, "objects"),
    bindings: {
      DATABASE_URL: libsql.url,
      BELLHOP_SECRET: "bench-server-secret-0123456789-0123456789",
      BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
    },
    onLogLine: () => undefined,
  });
  const database = new Database(file, { readonly: true });
  const left = database.query<{ n: number }, []>(
    "SELECT count(*) AS n FROM executions WHERE workflow_id < 'wf_00000000-1'",
  );
  const oldExecutions = () => left.get()?.n ?? 0;
  try {
    const rounds: Round[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      progress(`round ${round} of ${ROUNDS}`);
      // In turns, so that the growing queue of jobs affects both alike.
      const isFirst = round % 2 === 1;
      const before = isFirst ? await measured(worker.url) : null;
      await settled(database);
      const beside = await measuredBeside(worker, oldExecutions);
      await settled(database);
      rounds.push({ quiet: before ?? (await measured(worker.url)), ...beside });
      await settled(database);
    }
    const ratios = rounds.map(({ quiet, deleting }) => deleting.p50Ms / quiet.p50Ms).toSorted((a, b) => a - b);
    return { executions, rounds, p50Ratio: ratios[Math.floor(ratios.length / 2)] ?? Number.NaN };
  } finally {
    await worker.stop();
    database.close();
    await libsql.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeRetention({ executions, rounds, p50Ratio }: RetentionBench): string {
  const line = ({ rps, p50Ms, p99Ms }: Figures) =>
    `${rps.toFixed(0).padStart(6)} req/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms`;
  return [
    `webhooks over ${CONNECTIONS} connections, ${executions} old executions`,
    ...rounds.flatMap(({ quiet, deleting, deleted }) => [
      `  without deletion   ${line(quiet)}`,
      `  while it goes on   ${line(deleting)}   ${deleted} executions deleted meanwhile`,
    ]),
    `  p50 is ${p50Ratio.toFixed(2)} times that without deletion (median of ${rounds.length} rounds)`,
  ].join("\n");
}

/** A database with old executions and their workflows. */
async function prepare(file: string, executions: number): Promise<void> {
  const libsql = await startLibsqlProcess(file);
  await migrateDatabase({ url: libsql.url });
  await libsql.stop();
  fillExecutions(file, executions, Date.now() - AGE_MS);
  const database = new Database(file, { readwrite: true });
  database.run(`INSERT INTO workflows (id, name, "trigger", definition, created_at, updated_at)
    SELECT DISTINCT workflow_id, 'stored', '{"type":"webhook"}', '{"nodes":[],"edges":[]}', 1, 1 FROM executions`);
  database.close();
}

/** Waits for the accepted events to start: their writes would delay those of the next load. */
async function settled(database: Database): Promise<void> {
  const jobs = database.query<{ n: number }, []>("SELECT count(*) AS n FROM jobs WHERE status = 'queued'");
  const deadline = performance.now() + SETTLE_MS;
  let before = -1;
  for (let now = 0; now !== before && performance.now() < deadline;) {
    before = jobs.get()?.n ?? 0;
    await Bun.sleep(1_000);
    now = jobs.get()?.n ?? 0;
  }
}

/**
 * Loads from one portion of executions to the next, at least: so each round meets the deletion of executions and of
 * everything that belongs to them.
 */
async function measuredBeside(worker: WorkerRuntime, oldExecutions: () => number): Promise<Omit<Round, "quiet">> {
  const passes = repeat(() => worker.tick());
  const before = oldExecutions();
  if (before <= RUNNING) throw new Error("no old executions are left for this round: use more --rows");
  while (oldExecutions() === before) await Bun.sleep(100);
  const atStart = oldExecutions();
  const loads: Figures[] = [];
  while (oldExecutions() === atStart && loads.length < LOADS_MAX) loads.push(await measured(worker.url));
  const deleted = atStart - oldExecutions();
  await passes.stop();
  if (deleted === 0) throw new Error(`no executions were deleted during ${LOADS_MAX} loads`);
  return { deleting: meanOf(loads), loads: loads.length, deleted };
}

function meanOf(loads: readonly Figures[]): Figures {
  const mean = (name: keyof Figures) => loads.reduce((sum, figures) => sum + figures[name], 0) / loads.length;
  return { rps: mean("rps"), p50Ms: mean("p50Ms"), p99Ms: mean("p99Ms") };
}

async function measured(url: string): Promise<Figures> {
  const targets = await createTargets(url, KEYS_PER_LOAD);
  const { rps, p50Ms, p99Ms } = await load({
    url: targets[0]?.url ?? url,
    connections: CONNECTIONS,
    requests: requestsTo(targets),
  });
  return { rps, p50Ms, p99Ms };
}

/** Does it again and again until `stop`. */
function repeat(work: () => Promise<void>): { stop(): Promise<void> } {
  const end = new AbortController();
  const done = (async () => {
    while (!end.signal.aborted) await work();
  })();
  return {
    stop: () => {
      end.abort();
      return done;
    },
  };
}
