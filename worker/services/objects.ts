import type { Env } from "../env.ts";
import type { PoolRpc } from "./ports.ts";
import type { FeedRpc, GateRpc, RunRpc } from "./ports.ts";

/** The one place that knows how objects are named and reached. */
export interface Objects {
  gate(webhookKey: string): GateRpc;
  /** Serialises each execution of its workflow. */
  run(ref: { workflowId: string }): RunRpc;
  pool(poolObject: string): PoolRpc;
  /** One for the whole deployment. */
  executionFeed(): FeedRpc;
}

export function createObjects(env: Env): Objects {
  return {
    gate: (webhookKey) => stubOf<GateRpc>(env.GATE, webhookKey),
    // One Run object for all executions of a workflow: an object for each would cost a new storage file each, which
    // was measured as the largest single cost (docs/decisions/0003-one-run-object-per-workflow.md).
    run: (ref) => stubOf<RunRpc>(env.RUN, ref.workflowId),
    pool: (poolObject) => stubOf<PoolRpc>(poolObject.startsWith(NOTIFIER_PREFIX) ? env.NOTIFIER : env.POOL, poolObject),
    executionFeed: () => stubOf<FeedRpc>(env.EXECUTION_FEED, "all"),
  };
}

/** Jobs of this kind of name are the service's own: a Notifier has them, and answers as a Pool does (ports.ts). */
const NOTIFIER_PREFIX = "notifier:";

/** `pool:<id>`, or `agent:<id>` for an agent without a pool (design 3). */
export function poolObjectOf(agent: { id: string; poolId: string | null }): string {
  return agent.poolId === null ? `agent:${agent.id}` : `pool:${agent.poolId}`;
}

/** The one cast: a stub answers to the methods of the class that wrangler.toml binds to its namespace. */
function stubOf<Rpc>(namespace: DurableObjectNamespace, name: string): Rpc {
  return namespace.get(namespace.idFromName(name)) as unknown as Rpc;
}
