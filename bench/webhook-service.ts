import { Database } from "bun:sqlite";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { z } from "zod";
import { bundleWorker } from "../scripts/bundle-worker.ts";
import { createApi } from "../scripts/local/api.ts";
import { migrateDatabase } from "../scripts/migrate-database.ts";
import { workerOptions } from "../scripts/worker-runtime.ts";
import { startLibsqlProcess } from "./libsql-process.ts";

export interface WebhookTarget {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** One measured Worker. */
export interface BenchWorker {
  url: string;
  /** Webhook endpoints of this many published workflows. Each is called once, so that its secret is cached. */
  createTargets(count: number): Promise<WebhookTarget[]>;
  /** Jobs in libSQL: each belongs to a started execution. */
  queuedJobs(): Promise<number>;
  /** Waits for this number of jobs. */
  settled(jobs: number): Promise<void>;
}

export interface BenchService {
  /** Accepts events, and starts nothing. */
  held: BenchWorker;
  /** The deployed code. */
  live: BenchWorker;
  stop(): Promise<void>;
}

export const ADMIN_TOKEN = "bench-admin-token-0123456789";
const SETTLE_MS = 120_000;
const withId = z.object({ id: z.string() });

/** Two Workers in one workerd, which differ only in their gate's class, over one libSQL server in its own process. */
export async function startBenchService(directory: string): Promise<BenchService> {
  const file = join(directory, "bellhop.db");
  const libsql = await startLibsqlProcess(file);
  await migrateDatabase({ url: libsql.url });
  const script = await bundleWorker("bench/worker/webhook-worker.ts");
  const bindings = {
    DATABASE_URL: libsql.url,
    BELLHOP_SECRET: "bench-server-secret-0123456789-0123456789",
    BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
  };
  const options = { script, bindings };
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    durableObjectsPersist: join(directory, "objects"),
    workers: [
      { name: "held", ...(await workerOptions({ ...options, classNames: { GATE: "HeldGate", FLOOR: "Floor" } })) },
      { name: "live", ...(await workerOptions({ ...options, classNames: { FLOOR: "Floor" } })) },
    ],
  });
  await miniflare.ready;
  const database = new Database(file, { readonly: true });
  const workerAt = async (name: string): Promise<BenchWorker> => {
    const { origin } = await miniflare.unsafeGetDirectURL(name);
    return benchWorker(origin, database);
  };
  return {
    held: await workerAt("held"),
    live: await workerAt("live"),
    stop: async () => {
      await miniflare.dispose();
      database.close();
      await libsql.stop();
    },
  };
}

function benchWorker(url: string, database: Database): BenchWorker {
  const counter = database.query<{ jobs: number }, []>("SELECT count(*) AS jobs FROM jobs");
  const queuedJobs = async () => counter.get()?.jobs ?? 0;
  return {
    url,
    queuedJobs,
    createTargets: (count) => createTargets(url, count),
    settled: async (jobs) => {
      const deadline = performance.now() + SETTLE_MS;
      while ((await queuedJobs()) < jobs && performance.now() < deadline) await Bun.sleep(50);
    },
  };
}

/** As `BenchWorker.createTargets`, of a service with this administrator's token. */
export async function createTargets(url: string, count: number): Promise<WebhookTarget[]> {
  const connection = await createApi(url, ADMIN_TOKEN).post(
    "/connections",
    { name: "bench", type: "script", config: {}, poolId: "bench" },
    withId,
  );
  const targets: WebhookTarget[] = [];
  for (let i = 0; i < count; i += 1) targets.push(await createTarget(url, connection.id));
  return targets;
}

async function createTarget(url: string, connectionId: string): Promise<WebhookTarget> {
  const api = createApi(url, ADMIN_TOKEN);
  const workflow = await api.post(
    "/workflows",
    {
      name: "bench",
      trigger: { type: "webhook" },
      definition: {
        nodes: [
          {
            id: "restart",
            type: "action",
            action: "script.bash",
            connectionId,
            params: { script: 'systemctl restart "{{webhook.service}}"' },
          },
        ],
        edges: [],
      },
    },
    withId,
  );
  const key = await api.post(
    `/workflows/${workflow.id}/webhook-key`,
    undefined,
    z.object({ webhookKey: z.string(), webhookSecret: z.string() }),
  );
  await api.post(`/workflows/${workflow.id}/publish`, undefined, z.unknown());
  await api.post(`/workflows/${workflow.id}/activate`, undefined, z.unknown());
  const target = {
    url: `${url}/api/v1/automation/webhooks/${key.webhookKey}`,
    headers: { Authorization: `Bearer ${key.webhookSecret}` },
  };
  const warm = await fetch(target.url, { method: "POST", headers: target.headers });
  if (!warm.ok) throw new Error(`warming up answered ${warm.status}`);
  return target;
}
