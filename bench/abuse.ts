import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FloodOrder } from "./abuse/flood.ts";
import { load, postBytes } from "./load.ts";
import type { LoadResult } from "./load.ts";
import { startBenchService } from "./webhook-service.ts";
import type { BenchWorker, WebhookTarget } from "./webhook-service.ts";

/**
 * What a flood on one webhook key does to another key, in one run on one workerd. Everything shares one thread here, so
 * each flood is held against the same number of connections that only ask /healthz: what any traffic takes from others.
 */
export interface AbuseBench {
  quiet: Figures;
  floods: { connections: number; kind: FloodKind; floodRps: number; other: Figures }[];
}
interface Figures {
  p50Ms: number;
  p99Ms: number;
}

const KINDS = ["healthz", "429", "401"] as const;
type FloodKind = (typeof KINDS)[number];
const CONNECTIONS = [16, 32] as const;
const ROUNDS = 3;
/** Under the 60 a minute that a key allows, with room for the request that warms it up. */
const REQUESTS_PER_KEY = 50;
const KEYS_PER_ROUND = 6;

export async function benchAbuse(): Promise<AbuseBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const service = await startBenchService(directory);
  try {
    const quiet: LoadResult[] = [];
    const floods = CONNECTIONS.flatMap((connections) =>
      KINDS.map((kind) => ({ connections, kind, rps: new Array<number>(), other: new Array<LoadResult>() })),
    );
    // All take turns, so that whatever the machine does meanwhile falls on each.
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(await measureOther(service.held));
      for (const { connections, kind, rps, other } of floods) {
        const flood = await startFlood(await orderFor(service.held, kind, connections), kind);
        other.push(await measureOther(service.held));
        rps.push(await flood.stop());
      }
    }
    return {
      quiet: median(quiet),
      floods: floods.map(({ connections, kind, rps, other }) => ({
        connections,
        kind,
        floodRps: rps.toSorted((a, b) => a - b)[Math.floor(rps.length / 2)] ?? Number.NaN,
        other: median(other),
      })),
    };
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeAbuse({ quiet, floods }: AbuseBench): string {
  const control = (connections: number) =>
    floods.find((flood) => flood.kind === "healthz" && flood.connections === connections)?.other ?? quiet;
  return [
    `another key, nothing else going on      p50 ${quiet.p50Ms.toFixed(2)} ms   p99 ${quiet.p99Ms.toFixed(2)} ms`,
    ...floods.map(({ connections, kind, floodRps, other }) => {
      const name = kind === "healthz" ? "only /healthz" : `${kind}s on one key`;
      const against = control(connections);
      const ratio =
        kind === "healthz"
          ? "the control"
          : `${(other.p50Ms / against.p50Ms).toFixed(2)} and ${(other.p99Ms / against.p99Ms).toFixed(2)} of the control`;
      const figures = `p50 ${other.p50Ms.toFixed(2)} ms   p99 ${other.p99Ms.toFixed(2)} ms`;
      return `  ${connections} connections, ${name.padEnd(15)} ${floodRps.toFixed(0).padStart(6)} req/s   ${figures}   ${ratio}`;
    }),
  ].join("\n");
}

/** Accepted webhooks over one connection, on keys that nobody floods. */
async function measureOther(worker: BenchWorker): Promise<LoadResult> {
  const targets = await worker.createTargets(KEYS_PER_ROUND);
  const [first] = targets;
  if (first === undefined) throw new Error("no targets");
  const requests = Array.from({ length: REQUESTS_PER_KEY }, (_, n) =>
    targets.map((target) => bytesOf(target, n)),
  ).flat();
  return load({ url: first.url, connections: 1, requests });
}

async function orderFor(worker: BenchWorker, kind: FloodKind, connections: number): Promise<FloodOrder> {
  const { hostname, port, host } = new URL(worker.url);
  const to = { hostname, port: Number(port), connections };
  if (kind === "healthz") return { ...to, request: Buffer.from(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`) };
  const [target] = await worker.createTargets(1);
  if (target === undefined) throw new Error("no target");
  if (kind === "401") {
    const headers = { ...target.headers, Authorization: `Bearer whs_${"A".repeat(43)}` };
    return { ...to, request: postBytes(target.url, headers, "{}") };
  }
  // Its minute is used up before the flood begins, so that every request of it is refused.
  await load({ url: target.url, connections: 1, requests: Array.from({ length: 59 }, (_, n) => bytesOf(target, n)) });
  return { ...to, request: bytesOf(target, 0) };
}

function bytesOf(target: WebhookTarget, n: number): Uint8Array {
  return postBytes(
    target.url,
    target.headers,
    JSON.stringify({ variables: { host: "web-17.example.com", attempt: n } }),
  );
}

/** Gives, when it is stopped, its requests a second. Throws when it was answered otherwise than a flood of its kind is. */
async function startFlood(order: FloodOrder, kind: FloodKind): Promise<{ stop(): Promise<number> }> {
  const worker = new Worker(new URL("./abuse/flood.ts", import.meta.url).href);
  const answer = () =>
    new Promise<unknown>((resolve, reject) => {
      worker.addEventListener("message", ({ data }) => resolve(data), { once: true });
      worker.addEventListener("error", ({ message }) => reject(new Error(message)), { once: true });
    });
  const begun = answer();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  worker.postMessage(order);
  await begun;
  const startedAt = performance.now();
  return {
    stop: async () => {
      const counted = answer();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage("report");
      const statuses = new Map(Object.entries(Object(await counted)).map(([status, n]) => [status, Number(n)]));
      const seconds = (performance.now() - startedAt) / 1_000;
      worker.terminate();
      // Of guesses, the first 60 in a minute are 401 and the rest 429.
      const expected = { healthz: ["200"], "429": ["429"], "401": ["401", "429"] }[kind];
      const others = [...statuses.keys()].filter((status) => !expected.includes(status));
      if (others.length > 0) throw new Error(`the flood of ${kind} was answered ${others.join(", ")}`);
      return [...statuses.values()].reduce((sum, n) => sum + n, 0) / seconds;
    },
  };
}

function median(results: readonly LoadResult[]): Figures {
  const middle = results.toSorted((a, b) => a.p50Ms - b.p50Ms)[Math.floor(results.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return { p50Ms: middle.p50Ms, p99Ms: middle.p99Ms };
}
