import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { z } from "zod";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { createApi } from "../../scripts/local/api.ts";
import type { Api } from "../../scripts/local/api.ts";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { workerOptions } from "../../scripts/worker-runtime.ts";
import { startLibsqlProcess } from "../libsql-process.ts";
import { startCountingProxy } from "./counting-proxy.ts";
import type { CountingProxy } from "./counting-proxy.ts";
import { InstantAgent } from "./instant-agent.ts";

/** One measured Worker with its own database and agent. */
export interface EngineWorker {
  url: string;
  api: Api;
  agent: InstantAgent;
  connectionId: string;
  /** libSQL's own file, for reading. */
  database: Database;
  /** Null without `counted`. */
  proxy: CountingProxy | null;
  /** Runs the Cron Trigger's work once. */
  tick(): Promise<void>;
}

export interface EngineService<Name extends string> {
  workers: Record<Name, EngineWorker>;
  stop(): Promise<void>;
}

export interface DatabaseOptions {
  file: string;
  /** Puts a counting proxy before libSQL. */
  counted?: boolean;
}

const ADMIN_TOKEN = "bench-admin-token-0123456789";
const POOL_ID = "bench";

/** The Workers in one workerd, each over a libSQL server in its own process. */
export async function startEngineService<Name extends string>(
  directory: string,
  databases: Record<Name, DatabaseOptions>,
): Promise<EngineService<Name>> {
  const cleanUp: (() => unknown)[] = [];
  const stop = async () => {
    for (const end of cleanUp.toReversed()) await end();
  };
  try {
    const script = await bundleWorker("bench/worker/engine-worker.ts");
    const names = Object.keys(databases).filter((name): name is Name => name in databases);
    const stores = new Map<Name, Store>();
    for (const name of names) stores.set(name, await openStore(databases[name], cleanUp));
    const miniflare = new Miniflare({
      host: "127.0.0.1",
      port: 0,
      durableObjectsPersist: join(directory, "objects"),
      workers: await Promise.all(
        [...stores].map(async ([name, { url }]) => ({ name, ...(await optionsOf(script, url)) })),
      ),
    });
    cleanUp.push(() => miniflare.dispose());
    await miniflare.ready;
    const workers: Partial<Record<Name, EngineWorker>> = {};
    for (const [name, store] of stores) workers[name] = await openWorker(miniflare, name, store, cleanUp);
    if (!isComplete(workers, names)) throw new Error("a worker is missing");
    return { workers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Store {
  url: string;
  proxy: CountingProxy | null;
  database: Database;
}

async function openStore({ file, counted = false }: DatabaseOptions, cleanUp: (() => unknown)[]): Promise<Store> {
  const libsql = await startLibsqlProcess(file);
  cleanUp.push(() => libsql.stop());
  await migrateDatabase({ url: libsql.url });
  const database = new Database(file, { readwrite: true });
  cleanUp.push(() => database.close());
  database.run("CREATE TABLE IF NOT EXISTS bench_floor (id INTEGER PRIMARY KEY, at INTEGER, body TEXT)");
  const proxy = counted ? startCountingProxy(libsql.url) : null;
  if (proxy !== null) cleanUp.push(() => proxy.stop());
  return { url: proxy?.url ?? libsql.url, proxy, database };
}

function optionsOf(script: string, databaseUrl: string) {
  const bindings = {
    DATABASE_URL: databaseUrl,
    BELLHOP_SECRET: "bench-server-secret-0123456789-0123456789",
    BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
  };
  return workerOptions({ script, bindings, classNames: { FLOOR: "EngineFloor" } });
}

async function openWorker(
  miniflare: Miniflare,
  name: string,
  { proxy, database }: Store,
  cleanUp: (() => unknown)[],
): Promise<EngineWorker> {
  const { origin: url } = await miniflare.unsafeGetDirectURL(name);
  const api = createApi(url, ADMIN_TOKEN);
  const agent = await InstantAgent.start(url, api, POOL_ID);
  cleanUp.push(() => agent.stop());
  const { id: connectionId } = await api.post(
    "/connections",
    { name: "bench", type: "script", config: {}, poolId: POOL_ID },
    z.object({ id: z.string() }),
  );
  return {
    url,
    api,
    agent,
    connectionId,
    database,
    proxy,
    tick: async () => {
      const worker = await miniflare.getWorker(name);
      const { outcome } = await worker.scheduled({ scheduledTime: new Date(), cron: "* * * * *" });
      if (outcome !== "ok") throw new Error(`the tick ended ${outcome}`);
    },
  };
}

function isComplete<Name extends string>(
  workers: Partial<Record<Name, EngineWorker>>,
  names: readonly Name[],
): workers is Record<Name, EngineWorker> {
  return names.every((name) => workers[name] !== undefined);
}
