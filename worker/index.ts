import { createApp } from "./app.ts";
import { runTick } from "./cron.ts";
import type { Env } from "./env.ts";

export { Alerter } from "./actors/alerter/object.ts";
export { ServiceControl } from "./actors/control/object.ts";
export { ExecutionFeed } from "./actors/feed/object.ts";
export { Notifier } from "./actors/notifier/object.ts";
export { Dispatcher } from "./actors/dispatcher/object.ts";
export { WorkflowRuns } from "./actors/run/object.ts";
export { WebhookGate } from "./actors/gate/object.ts";

const app = createApp();

export default {
  fetch: app.fetch,
  scheduled: (controller, env) => runTick(env, controller.scheduledTime),
} satisfies ExportedHandler<Env>;
