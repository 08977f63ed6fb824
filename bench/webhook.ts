import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load, postBytes } from "./load.ts";
import type { LoadResult } from "./load.ts";
import { startBenchService } from "./webhook-service.ts";
import type { BenchService, BenchWorker, WebhookTarget } from "./webhook-service.ts";

/**
 * The cost of a webhook, all in one run on one workerd. `floor`: a bare Durable Object insert behind a bare route.
 * `accept`: the full webhook path to its 200, without starting executions. `through`: executions per second up to the
 * queued job, and the executions that are still to start when the load ends.
 */
export interface WebhookBench {
  floor: { c1: Figures; c16: Figures };
  accept: { c1: Figures; c16: Figures };
  through: { c1: Through; c16: Through };
}
interface Figures {
  rps: number;
  p50Ms: number;
  p99Ms: number;
}
interface Through {
  rps: number;
  executionsPerSecond: number;
  backlog: number;
}

/** Under a key's limit of 60 a minute, with room for the warm-up request. */
const REQUESTS_PER_KEY = 50;
const ROUNDS = 3;
const KEYS_PER_ROUND = { c1: 20, c16: 60 } as const;
const CONNECTIONS = { c1: 1, c16: 16 } as const;
type Level = keyof typeof CONNECTIONS;

export async function benchWebhook(): Promise<WebhookBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const service = await startBenchService(directory);
  try {
    const floor = { c1: new Array<LoadResult>(), c16: new Array<LoadResult>() };
    const accept = { c1: new Array<LoadResult>(), c16: new Array<LoadResult>() };
    // Floor and accept take turns, so that the machine's other work affects both alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const level of ["c1", "c16"] as const) {
        floor[level].push(await runLoad(level, await floorTargets(service, level, round)));
        accept[level].push(await runLoad(level, await service.held.createTargets(KEYS_PER_ROUND[level])));
      }
    }
    return {
      floor: { c1: median(floor.c1), c16: median(floor.c16) },
      accept: { c1: median(accept.c1), c16: median(accept.c16) },
      through: { c1: await runThrough(service.live, "c1"), c16: await runThrough(service.live, "c16") },
    };
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeWebhook({ floor, accept, through }: WebhookBench): string {
  const line = (name: string, figures: Figures) =>
    `  ${name.padEnd(8)} ${figures.rps.toFixed(0).padStart(6)} req/s   p50 ${figures.p50Ms.toFixed(2)} ms   p99 ${figures.p99Ms.toFixed(2)} ms`;
  return (["c1", "c16"] as const)
    .map((level) =>
      [
        `${CONNECTIONS[level]} connection${level === "c1" ? "" : "s"}`,
        line("floor", floor[level]),
        line("accept", accept[level]),
        `  accept is ${(accept[level].rps / floor[level].rps).toFixed(2)} of the floor's req/s, p50 ${(accept[level].p50Ms / floor[level].p50Ms).toFixed(2)} times the floor's`,
        `  through  ${through[level].rps.toFixed(0).padStart(6)} req/s accepted, ${through[level].executionsPerSecond.toFixed(0)} executions/s queued meanwhile, ${through[level].backlog} still to start at the end`,
      ].join("\n"),
    )
    .join("\n");
}

async function runLoad(level: Level, targets: readonly WebhookTarget[]): Promise<LoadResult> {
  const [first] = targets;
  if (first === undefined) throw new Error("no targets");
  return load({ url: first.url, connections: CONNECTIONS[level], requests: requestsTo(targets) });
}

async function runThrough(worker: BenchWorker, level: Level): Promise<Through> {
  const targets = await worker.createTargets(KEYS_PER_ROUND[level] * 2);
  const before = await worker.queuedJobs();
  const result = await runLoad(level, targets);
  const queued = (await worker.queuedJobs()) - before;
  await worker.settled(before + result.requests);
  return { rps: result.rps, executionsPerSecond: queued / result.seconds, backlog: result.requests - queued };
}

async function floorTargets(service: BenchService, level: Level, round: number): Promise<WebhookTarget[]> {
  const targets = Array.from({ length: KEYS_PER_ROUND[level] }, (_, index) => ({
    url: `${service.held.url}/floor/${level}_${round}_${index}`,
    headers: {},
  }));
  // As with the gates, the creation of the object is not measured.
  for (const target of targets) await fetch(target.url, { method: "POST", body: "{}" });
  return targets;
}

/** Every payload differs, so that none is a duplicate. The targets take turns. */
export function requestsTo(targets: readonly WebhookTarget[]): Uint8Array[] {
  return Array.from({ length: REQUESTS_PER_KEY }, (_, n) =>
    targets.map((target) =>
      postBytes(
        target.url,
        target.headers,
        JSON.stringify({
          variables: { service: "checkout", severity: "critical", attempt: n, host: "web-17.example.com" },
        }),
      ),
    ),
  ).flat();
}

function median(results: readonly LoadResult[]): Figures {
  const middle = results.toSorted((a, b) => a.rps - b.rps)[Math.floor(results.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return { rps: middle.rps, p50Ms: middle.p50Ms, p99Ms: middle.p99Ms };
}
