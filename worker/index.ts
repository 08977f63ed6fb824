import { createApp } from "./app.ts";
import { runTick } from "./cron.ts";
import type { Env } from "./env.ts";

export { Pool } from "./objects/pool.ts";
export { Run } from "./objects/run.ts";
export { WebhookGate } from "./objects/webhook-gate.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled: (_controller, env) => runTick(env),
} satisfies ExportedHandler<Env>;
