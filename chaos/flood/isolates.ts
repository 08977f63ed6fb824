import { join } from "node:path";
import { z } from "zod";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { startWorker } from "../../scripts/worker-runtime.ts";
import type { WorkerRuntime } from "../../scripts/worker-runtime.ts";
import { createAdmin } from "../admin.ts";
import type { Admin } from "../admin.ts";
import { FloodAgent } from "./agent.ts";

/** A published workflow's webhook. */
export interface FloodWebhook {
  url: string;
  secret: string;
}

/** One workerd process with its own objects, webhooks, pool and agent. The database is shared. */
export interface Isolate {
  worker: WorkerRuntime;
  agent: FloodAgent;
  webhooks: FloodWebhook[];
  /** For measuring how long an acceptance takes; not part of the flood. */
  probes: FloodWebhook[];
  stop(): Promise<void>;
}

export interface IsolateOptions {
  directory: string;
  name: string;
  databaseUrl: string;
  webhooks: number;
  probes: number;
}

const ADMIN_TOKEN = "flood-admin-token-0123456789";
const withId = z.object({ id: z.string() });
const keyAnswer = z.object({ webhookKey: z.string(), webhookSecret: z.string() });
let bundle: Promise<string> | undefined;

export async function startIsolate(options: IsolateOptions): Promise<Isolate> {
  const { name } = options;
  bundle ??= bundleWorker();
  const worker = await startWorker({
    script: await bundle,
    persistTo: join(options.directory, "objects", name),
    bindings: {
      DATABASE_URL: options.databaseUrl,
      BELLHOP_SECRET: "flood-server-secret-0123456789-0123456789",
      BOOTSTRAP_ADMIN_TOKEN: ADMIN_TOKEN,
      LOG_LEVEL: "ERROR",
    },
    onLogLine: () => undefined,
  });
  try {
    const admin = createAdmin(() => worker.url, ADMIN_TOKEN);
    const agent = await FloodAgent.start(worker.url, admin, name);
    const stop = async () => {
      await agent.stop();
      await worker.stop();
    };
    const connection = { name, type: "script", config: {}, poolId: name };
    const { id: connectionId } = await admin.call("POST", "/connections", connection, withId);
    const publish = async (count: number) => {
      const made: FloodWebhook[] = [];
      for (let index = 0; index < count; index += 1) made.push(await publishWebhook(admin, worker.url, connectionId));
      return made;
    };
    return { worker, agent, webhooks: await publish(options.webhooks), probes: await publish(options.probes), stop };
  } catch (error) {
    await worker.stop();
    throw error;
  }
}

/** A workflow of one script whose job carries the event's mark. */
async function publishWebhook(admin: Admin, url: string, connectionId: string): Promise<FloodWebhook> {
  const params = { script: "systemctl restart app", env: { MARK: "{{inputs.mark}}" } };
  const node = { id: "restart", type: "action", action: "script.bash", connectionId, params };
  const workflow = { name: "flood", trigger: { type: "webhook" }, definition: { nodes: [node], edges: [] } };
  const { id } = await admin.call("POST", "/workflows", workflow, withId);
  await admin.call("POST", `/workflows/${id}/publish`, undefined, z.unknown());
  const { webhookKey, webhookSecret } = await admin.call("POST", `/workflows/${id}/webhook-key`, undefined, keyAnswer);
  await admin.call("POST", `/workflows/${id}/activate`, undefined, z.unknown());
  return { url: `${url}/api/v1/automation/webhooks/${webhookKey}`, secret: webhookSecret };
}
