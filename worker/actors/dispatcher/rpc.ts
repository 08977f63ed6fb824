import type { LeaseRef, RegisterRequest } from "../../../schema/contract/agent.ts";
import type { LostAssignment } from "../../../schema/contract/execution.ts";
import type { AgentStatus, HealthParts } from "../../../schema/contract/management.ts";
import type { Waiting } from "../../../schema/contract/waiting.ts";
import type { JobTimes } from "../../domain/job-order.ts";

/** One agent's settings, pushed to the dispatcher with a rising epoch. The dispatcher ignores an older epoch. */
export interface AgentSettings {
  agentId: string;
  name: string;
  epoch: number;
  enabled: boolean;
  /** True when the agent was deleted or moved to another pool. */
  removed: boolean;
  /** True when the agent got a new key. The process with the old key can no longer call. */
  rekeyed?: boolean;
}

/** The caller, as the Worker has verified it. `epoch` is the key's: the dispatcher refuses one older than its own. */
export interface AgentCaller {
  agentId: string;
  epoch: number;
  /** From the session header; null when registering. */
  instanceId: string | null;
}

/** Why a dispatcher refuses a call. */
export type DispatcherRefusal = { refused: "unauthorized" | "superseded" | "register_again" };

export interface RegisterOrder {
  settings: AgentSettings;
  request: RegisterRequest;
}

export interface PollRequest {
  capacity: number;
  held: LeaseRef[];
}

export interface HeartbeatAnswer {
  enabled: boolean;
  cancelled: LeaseRef[];
}

export interface Registered {
  enabled: boolean;
}

export interface JobState {
  jobId: string;
  status: "queued" | "assigned" | "delivered" | "finished";
  agentId: string | null;
  waiting: Waiting | null;
  times: JobTimes;
  /** The agents that lost the job. */
  assignments?: readonly LostAssignment[];
}

export interface AgentPresence {
  agentId: string;
  status: AgentStatus;
  healthScore: number;
  /** Absent from a dispatcher of an earlier version. */
  health?: HealthParts;
  lastHeartbeatAt: number | null;
  draining?: boolean;
  /** True until the agent calls with its new key. */
  rekeyed?: boolean;
  runningJobs: number;
  /** The ids of its jobs, when asked for. */
  runningJobIds?: string[];
}
