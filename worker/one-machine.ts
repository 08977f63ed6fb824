import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import type { Ticker } from "./actors/ticker/object.ts";
import { logError } from "./services/log.ts";

export { ExecutionFeed } from "./actors/feed/object.ts";
export { Notifier } from "./actors/notifier/object.ts";
export { Dispatcher } from "./actors/dispatcher/object.ts";
export { WorkflowRuns } from "./actors/run/object.ts";
export { Ticker } from "./actors/ticker/object.ts";
export { WebhookGate } from "./actors/gate/object.ts";

/**
 * The Worker as `workerd serve` runs it on one machine (docs/deploy/one-machine.md): the same app and the same objects,
 * with an alarm in place of the Cron Trigger.
 */
interface OneMachineEnv extends Env {
  TICKER: DurableObjectNamespace<Ticker>;
}

/** An alarm that the disk did not take is gone: it is looked after this often, as long as anybody asks anything. */
const ARM_EVERY_MS = 60_000;

const app = createApp();
let armedAt: number | null = null;

export default {
  fetch: (request, env, context) => {
    // The first request after a start sets the clock going; bellhop.service sends one as soon as the Worker answers.
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
