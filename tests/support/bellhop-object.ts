import type {
  AlerterRpc,
  ControlRpc,
  DispatcherRpc,
  GateRpc,
  NotifierRpc,
  WorkflowRunsRpc,
} from "../../worker/services/ports.ts";
import type { Bellhop } from "./bellhop.ts";
import { eventually } from "./eventually.ts";

/** The Durable Objects by their bindings in wrangler.toml. */
interface Objects {
  DISPATCHER: DispatcherRpc;
  SERVICE_CONTROL: ControlRpc;
  ALERTER: AlerterRpc;
  GATE: GateRpc;
  NOTIFIER: NotifierRpc;
  WORKFLOW_RUNS: WorkflowRunsRpc;
}

/**
 * An object in the running workerd, as other objects reach it. The one cast: a stub has the methods of its class.
 * Miniflare asks workerd for the stub over a kept connection, which workerd may close at that moment: then it is asked
 * again.
 */
export function objectNamed<K extends keyof Objects>(bellhop: Bellhop, binding: K, name: string): Promise<Objects[K]> {
  return eventually(`the object ${name} of ${binding}`, async () => {
    const namespace = await bellhop.worker.miniflare.getDurableObjectNamespace(binding);
    return namespace.get(namespace.idFromName(name)) as unknown as Objects[K];
  }) as Promise<Objects[K]>;
}
