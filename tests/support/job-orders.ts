import { needsCredential } from "../../schema/contract/connection.ts";
import type { JobConnection } from "../../worker/actors/dispatcher/rules/job-connection.ts";
import type { AgentJobOrder } from "../../worker/domain/job-order.ts";

export const POOL = "pool:web";

export function connection(id: string, changes: Partial<JobConnection> = {}): JobConnection {
  const { type = "script", config = {} } = changes;
  return {
    id,
    type,
    config,
    needsCredential: needsCredential({ type, config }),
    enabled: true,
    usableBy: null,
    target: { poolObject: POOL, pinnedAgentId: null },
    agentDeleted: false,
    hasCredential: false,
    isDelivered: false,
    wanted: null,
    approvedTarget: () => "here",
    ...changes,
  };
}

export function order(jobId: string, changes: Partial<AgentJobOrder> = {}): AgentJobOrder {
  return {
    jobId,
    attempt: 1,
    kind: "action",
    executionId: `exe_${jobId}`,
    workflowId: "wf_1",
    nodeRunId: "run_1",
    action: "script.bash",
    effect: "unsafe",
    connectionId: "con_1",
    poolObject: POOL,
    pinnedAgentId: null,
    params: { script: "echo hello" },
    values: {},
    timeoutSeconds: 300,
    queueTimeoutSeconds: null,
    onAgentLost: null,
    queuedAt: Date.UTC(2026, 0, 5, 12),
    ...changes,
  };
}
