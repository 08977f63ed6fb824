import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import type { Ticker } from "./actors/ticker/object.ts";
import { logError } from "./services/log.ts";

export { Alerter } from "./actors/alerter/object.ts";
export { ServiceControl } from "./actors/control/object.ts";
export { ExecutionFeed } from "./actors/feed/object.ts";
export { Notifier } from "./actors/notifier/object.ts";
export { Dispatcher } from "./actors/dispatcher/object.ts";
export { WorkflowRuns } from "./actors/run/object.ts";
export { Ticker } from "./actors/ticker/object.ts";
export { WebhookGate } from "./actors/gate/object.ts";

/**
 * The Worker under `workerd serve` on one machine (docs/deploy/one-machine.md): the same app and objects, with an alarm
 * instead of the Cron Trigger.
 */
interface OneMachineEnv extends Env {
  TICKER: DurableObjectNamespace<Ticker>;
}

/** How often a request checks the alarm, which is lost when the disk could not store it. */
const ARM_EVERY_MS = 60_000;

const app = createApp();
let armedAt: number | null = null;

export default {
  fetch: (request, env, context) => {
    // The first request after a start sets the clock; bellhop.service sends one as soon as the Worker answers.
    const now = Date.now();
    if (armedAt === null || now - armedAt >= ARM_EVERY_MS) {
      armedAt = now;
      context.waitUntil(armTicker(env));
    }
    return app.fetch(request, env, context);
  },
} satisfies ExportedHandler<OneMachineEnv>;

async function armTicker(env: OneMachineEnv): Promise<void> {
  try {
    await env.TICKER.get(env.TICKER.idFromName("minute")).arm();
  } catch (error) {
    armedAt = null;
    logError("the minute's clock could not be set; the next request tries again", { error: String(error) });
  }
}
