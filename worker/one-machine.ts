import { createApp } from "./app.ts";
import type { Env } from "./env.ts";
import { ExecutionFeed as CloudExecutionFeed } from "./actors/feed/object.ts";
import { Notifier as CloudNotifier } from "./actors/notifier/object.ts";
import { Dispatcher as CloudDispatcher } from "./actors/dispatcher/object.ts";
import { WorkflowRuns as CloudWorkflowRuns } from "./actors/run/object.ts";
import { Ticker as MinuteTicker } from "./actors/ticker/object.ts";
import { WebhookGate as CloudWebhookGate } from "./actors/gate/object.ts";
import { logError } from "./services/log.ts";

/**
 * The Worker as `workerd serve` runs it on one machine (docs/deploy/one-machine.md): the same app and the same objects,
 * with an alarm in place of the Cron Trigger. Its settings come from the environment, where what is not set is null.
 */
interface OneMachineEnv extends Env {
  TICKER: DurableObjectNamespace<MinuteTicker>;
}

export class WebhookGate extends CloudWebhookGate {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
}

export class WorkflowRuns extends CloudWorkflowRuns {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
}

export class Dispatcher extends CloudDispatcher {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
}

export class Notifier extends CloudNotifier {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
}

export class ExecutionFeed extends CloudExecutionFeed {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
}

export class Ticker extends MinuteTicker {
  constructor(state: DurableObjectState, env: Env) {
    super(state, withoutNulls(env));
  }
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
    return app.fetch(request, withoutNulls(env), context);
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

/** workerd gives null for a variable that is not in the environment; everything else asks whether it is undefined. */
function withoutNulls<E extends Env>(env: E): E {
  const copy: E = { ...env };
  for (const name in copy) if (copy[name] === null) delete copy[name];
  return copy;
}
