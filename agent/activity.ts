import type { JobResultStatus } from "../schema/contract/agent.ts";

/** What this process has done so far, for `GET /v1/status` and `GET /metrics`. Times are epoch milliseconds. */
export interface Activity {
  readonly startedAt: number;
  agentId: string | null;
  poolId: string | null;
  /** Null until the service said so. */
  enabled: boolean | null;
  connected: boolean;
  lastError: string | null;
  lastPollAt: number | null;
  lastHeartbeatAt: number | null;
  registrations: number;
  failedCalls: number;
  polls: number;
  heartbeats: number;
  acknowledgedResults: number;
  readonly finishedJobs: Record<JobResultStatus, number>;
}

export function newActivity(now: number): Activity {
  return {
    startedAt: now,
    agentId: null,
    poolId: null,
    enabled: null,
    connected: false,
    lastError: null,
    lastPollAt: null,
    lastHeartbeatAt: null,
    registrations: 0,
    failedCalls: 0,
    polls: 0,
    heartbeats: 0,
    acknowledgedResults: 0,
    finishedJobs: { succeeded: 0, failed: 0, timed_out: 0, cancelled: 0, interrupted: 0 },
  };
}
