import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchChecks, describeChecks } from "./checks.ts";
import type { ChecksBench } from "./checks.ts";
import type { FloodOrder } from "./flood.ts";
import { viewerToken } from "./viewer.ts";
import { load, postBytes } from "../load.ts";
import type { LoadResult } from "../load.ts";
import { ADMIN_TOKEN, startBenchService } from "../webhook-service.ts";
import type { BenchWorker, WebhookTarget } from "../webhook-service.ts";

/**
 * The effect of a flood on one webhook key on another key, and of a viewer's costly requests on all others, in one run
 * on one workerd. A flood of a thousand requests a second, a thousand times the key's limit, is compared with silence.
 * Everything shares one thread here, so a flood at full speed is compared with the same number of connections that only
 * request /healthz: the effect of any traffic.
 */
export interface AbuseBench {
  quiet: Figures;
  floods: (Flood & { floodRps: number; other: Figures })[];
  checks: ChecksBench;
}
interface Flood {
  connections: number;
  kind: FloodKind;
  /** Null for full speed: as many as are answered. */
  perSecond: number | null;
}
interface Figures {
  p50Ms: number;
  p99Ms: number;
}

const KINDS = ["healthz", "429", "401"] as const;
type FloodKind = (typeof KINDS)[number];
const PACED_PER_SECOND = 1_000;
const FLOODS: readonly Flood[] = [
  { connections: 16, kind: "429", perSecond: PACED_PER_SECOND },
  { connections: 16, kind: "401", perSecond: PACED_PER_SECOND },
  ...[16, 32].flatMap((connections) => KINDS.map((kind) => ({ connections, kind, perSecond: null }))),
];
const ROUNDS = 3;
/** Under a key's limit of 60 a minute, with room for the warm-up request. */
const REQUESTS_PER_KEY = 50;
const KEYS_PER_ROUND = 6;

export async function benchAbuse(): Promise<AbuseBench> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-bench-"));
  const service = await startBenchService(directory);
  try {
    const quiet: LoadResult[] = [];
    const floods = FLOODS.map((flood) => ({ ...flood, rps: new Array<number>(), other: new Array<LoadResult>() }));
    // All take turns, so that the machine's other work affects each alike.
    for (let round = 0; round < ROUNDS; round += 1) {
      quiet.push(await measureOther(service.held));
      for (const { connections, kind, perSecond, rps, other } of floods) {
        const order = await orderFor(service.held, kind, connections);
        const flood = await startFlood(perSecond === null ? order : { ...order, perSecond }, kind);
        other.push(await measureOther(service.held));
        rps.push(await flood.stop());
      }
    }
    const { url } = service.live;
    return {
      quiet: figuresOf(quiet),
      floods: floods.map(({ rps, other, ...flood }) => ({ ...flood, floodRps: median(rps), other: figuresOf(other) })),
      checks: await benchChecks(url, await viewerToken(url, ADMIN_TOKEN)),
    };
  } finally {
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

export function describeAbuse({ quiet, floods, checks }: AbuseBench): string {
  const controlOf = (connections: number) =>
    floods.find((flood) => flood.kind === "healthz" && flood.connections === connections)?.other ?? quiet;
  return [
    `another key, nothing else going on      p50 ${quiet.p50Ms.toFixed(2)} ms   p99 ${quiet.p99Ms.toFixed(2)} ms`,
    ...floods.map(({ connections, kind, perSecond, floodRps, other }) => {
      const name = kind === "healthz" ? "only /healthz" : `${kind}s on one key`;
      const [against, of] = perSecond === null ? [controlOf(connections), "the control"] : [quiet, "that"];
      const ratio =
        kind === "healthz"
          ? "the control"
          : `${(other.p50Ms / against.p50Ms).toFixed(2)} and ${(other.p99Ms / against.p99Ms).toFixed(2)} of ${of}`;
      const figures = `p50 ${other.p50Ms.toFixed(2)} ms   p99 ${other.p99Ms.toFixed(2)} ms`;
      return `  ${connections} connections, ${name.padEnd(15)} ${floodRps.toFixed(0).padStart(6)} req/s   ${figures}   ${ratio}`;
    }),
    describeChecks(checks),
  ].join("\n");
}

/** Accepted webhooks over one connection, on keys without a flood. */
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
  // The key's minute is used up before the flood begins, so that every request of the flood is refused.
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

/** Stopping it gives its requests per second, and throws for answers that this kind of flood does not get. */
async function startFlood(order: FloodOrder, kind: FloodKind): Promise<{ stop(): Promise<number> }> {
  const worker = new Worker(new URL("./flood.ts", import.meta.url).href);
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
      // Guesses get 401 for the first 60 in a minute, then 429.
      const expected = { healthz: ["200"], "429": ["429"], "401": ["401", "429"] }[kind];
      const others = [...statuses.keys()].filter((status) => !expected.includes(status));
      if (others.length > 0) throw new Error(`the flood of ${kind} was answered ${others.join(", ")}`);
      return [...statuses.values()].reduce((sum, n) => sum + n, 0) / seconds;
    },
  };
}

function figuresOf(results: readonly LoadResult[]): Figures {
  return { p50Ms: median(results.map(({ p50Ms }) => p50Ms)), p99Ms: median(results.map(({ p99Ms }) => p99Ms)) };
}

function median(numbers: readonly number[]): number {
  const middle = numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
  if (middle === undefined) throw new Error("nothing was measured");
  return middle;
}
