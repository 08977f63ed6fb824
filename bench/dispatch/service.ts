import { Database } from "bun:sqlite";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { z } from "zod";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { createApi } from "../../scripts/local/api.ts";
import type { Api } from "../../scripts/local/api.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { workerOptions } from "../../scripts/worker-runtime.ts";
import { startCountingProxy } from "../engine/counting-proxy.ts";
import type { CountingProxy } from "../engine/counting-proxy.ts";
import { startLibsqlProcess } from "../libsql-process.ts";

/** One Worker in its own workerd, over its own libSQL server. */
export interface DispatchService {
  url: string;
  api: Api;
  /** The connection's type is script, its pool `POOL_ID`. */
  connectionId: string;
  database: Database;
  /** Null without `counted`. */
  proxy: CountingProxy | null;
  /** `POST /bench/<what>` of bench/worker/dispatch-worker.ts, on the pool `POOL_ID`. */
  order(what: string, query?: Readonly<Record<string, string | number>>, body?: unknown): Promise<unknown>;
  /** Resident memory of workerd; null where the system does not report it. */
  residentMb(): Promise<number | null>;
  stop(): Promise<void>;
}

export const POOL_ID = "bench";

const ADMIN_TOKEN = "bench-admin-token-0123456789";
/** workerd processes start in sequence, so that each can be identified by its new process. */
let starting: Promise<unknown> = Promise.resolve();

/** `counted` puts a counting proxy before libSQL. `directory` is for this service alone. */
export function startDispatchService(
  directory: string,
  { counted = false }: { counted?: boolean } = {},
): Promise<DispatchService> {
  const started = starting.then(() => startAlone(directory, counted));
  starting = started.catch(() => {});
  return started;
}

async function startAlone(directory: string, counted: boolean): Promise<DispatchService> {
  const cleanUp: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of cleanUp.splice(0).toReversed()) await end();
  };
  try {
    const file = join(directory, "bellhop.db");
    const libsql = await startLibsqlProcess(file);
    cleanUp.push(() => libsql.stop());
    await migrateDatabase({ url: libsql.url });
    const database = new Database(file, { readwrite: true });
    cleanUp.push(() => database.close());
    const proxy = counted ? startCountingProxy(libsql.url) : null;
    if (proxy !== null) cleanUp.push(() => proxy.stop());

    const others = await childProcesses();
    const miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      durableObjectsPersist: join(directory, "objects"),
      ...(await optionsOf(proxy?.url ?? libsql.url)),
    });
    cleanUp.push(() => miniflare.dispose());
    await miniflare.ready;
    const { origin: url } = await miniflare.unsafeGetDirectURL();
    const pid = (await childProcesses()).find((child) => !others.includes(child)) ?? null;

    const api = createApi(url, ADMIN_TOKEN);
    const { id: connectionId } = await api.post(
      "/connections",
      { name: "bench", type: "script", config: {}, poolId: POOL_ID },
      z.object({ id: z.string() }),
    );
    return {
      url,
      api,
      connectionId,
      database,
      proxy,
      order: (what, query = {}, body = null) => order(url, what, query, body),
      residentMb: () => residentMb(pid),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function optionsOf(databaseUrl: string) {
  return workerOptions({
    script: await bundleWorker("bench/worker/dispatch-worker.ts"),
    bindings: {
      DATABASE_URL: databaseUrl,
      BELLHOP_SECRET: "bench-server-secret-0123456789-0123456789",
      BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
    },
    classNames: { DISPATCHER: "CountedDispatcher" },
  });
}

async function order(
  url: string,
  what: string,
  query: Readonly<Record<string, string | number>>,
  body: unknown,
): Promise<unknown> {
  const values = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams([["pool", POOL_ID], ...values]);
  const response = await fetch(`${url}/bench/${what}?${search}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`/bench/${what} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** The workerd processes that this process started; empty where the system has no /proc. */
async function childProcesses(): Promise<number[]> {
  const found: number[] = [];
  for (const entry of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/u.test(entry)) continue;
    // `pid (name) state parent …`
    const [, name, parent] =
      /\((.*)\) \S (\d+)/u.exec(await readFile(`/proc/${entry}/stat`, "utf8").catch(() => "")) ?? [];
    if (name === "workerd" && Number(parent) === process.pid) found.push(Number(entry));
  }
  return found;
}

async function residentMb(pid: number | null): Promise<number | null> {
  if (pid === null) return null;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const kilobytes = /VmRSS:\s+(\d+) kB/u.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
}
