import type { Env } from "../env.ts";
import type { JobConnectionRow } from "../store/job-connections.ts";
import type { AlerterRpc, ControlRpc, DispatcherRpc, FeedRpc, GateRpc, WorkflowRunsRpc } from "./ports.ts";

/** The one place that names Durable Objects and makes their stubs. */
export interface Objects {
  gate(webhookKey: string): GateRpc;
  /** Serialises the steps of each execution of the workflow. */
  workflowRuns(ref: { workflowId: string }): WorkflowRunsRpc;
  dispatcher(poolObject: string): DispatcherRpc;
  /** One for the whole deployment. */
  executionFeed(): FeedRpc;
  /** One for the whole deployment. */
  control(): ControlRpc;
  /** One for the whole deployment. */
  alerter(): AlerterRpc;
}

export function createObjects(env: Env): Objects {
  return {
    gate: (webhookKey) => stubOf<GateRpc>(env.GATE, webhookKey),
    // One object for all executions of a workflow: an object for each would cost a new storage file each, which
    // was measured as the largest single cost (docs/decisions/0003-one-run-object-per-workflow.md).
    workflowRuns: (ref) => stubOf<WorkflowRunsRpc>(env.WORKFLOW_RUNS, ref.workflowId),
    dispatcher: (poolObject) =>
      stubOf<DispatcherRpc>(poolObject.startsWith(NOTIFIER_PREFIX) ? env.NOTIFIER : env.DISPATCHER, poolObject),
    executionFeed: () => stubOf<FeedRpc>(env.EXECUTION_FEED, "all"),
    control: () => stubOf<ControlRpc>(env.SERVICE_CONTROL, "all"),
    alerter: () => stubOf<AlerterRpc>(env.ALERTER, "all"),
  };
}

/** Jobs under this prefix run in the service: a Notifier holds them, and answers like a dispatcher (ports.ts). */
const NOTIFIER_PREFIX = "notifier:";

/** `pool:<id>`, or `agent:<id>` for an agent without a pool (docs/design/dispatch.md#dispatchers). */
export function poolObjectOf(agent: { id: string; poolId: string | null }): string {
  return agent.poolId === null ? `agent:${agent.id}` : `pool:${agent.poolId}`;
}

/** The dispatcher of a connection's jobs now; null when the connection has neither agent nor pool. */
export function targetOf({
  agentId,
  poolId,
  agentPoolId,
}: Pick<JobConnectionRow, "agentId" | "poolId" | "agentPoolId">): {
  poolObject: string;
  pinnedAgentId: string | null;
} | null {
  if (agentId !== null)
    return { poolObject: poolObjectOf({ id: agentId, poolId: agentPoolId }), pinnedAgentId: agentId };
  return poolId === null ? null : { poolObject: `pool:${poolId}`, pinnedAgentId: null };
}

/** The only cast: a stub has the methods of the class that wrangler.toml binds to its namespace. */
function stubOf<Rpc>(namespace: DurableObjectNamespace, name: string): Rpc {
  return namespace.get(namespace.idFromName(name)) as unknown as Rpc;
}
