import { isActionName } from "../schema/contract/action.ts";
import type { JobResultStatus } from "../schema/contract/agent.ts";

/**
 * `off`: WAKE_SOCKET is false. `unsupported`: the service, or a proxy on the way, has no wake socket; the agent tries
 * again every few minutes.
 */
export type WakeState = "off" | "connecting" | "connected" | "unsupported";

/** The calls to the service, as metrics name them. */
export const SERVICE_CALLS = ["register", "jobs", "results", "heartbeat", "offline"] as const;
export type ServiceCall = (typeof SERVICE_CALLS)[number];

export interface CallFigures {
  answered: number;
  failed: number;
  /** Milliseconds of all these calls together, and of the last one. */
  totalMs: number;
  lastMs: number;
}

/** What this process has done so far, for `GET /v1/status` and `GET /metrics`. Times are epoch milliseconds. */
export interface Activity {
  readonly startedAt: number;
  agentId: string | null;
  poolId: string | null;
  /** Null until the first answer of the service. */
  enabled: boolean | null;
  /** The graceful end has begun: the agent gets no new jobs. */
  isShuttingDown: boolean;
  connected: boolean;
  lastError: string | null;
  lastPollAt: number | null;
  lastHeartbeatAt: number | null;
  registrations: number;
  failedCalls: number;
  polls: number;
  heartbeats: number;
  acknowledgedResults: number;
  wake: WakeState;
  /** When `wake` changed last. */
  wakeSince: number;
  /** How often the wake socket opened, and how often it asked for a poll. */
  wakeConnections: number;
  wakes: number;
  /**
   * The poll interval in seconds that the last answer gave an idle agent. Null while POLL_INTERVAL and
   * HEARTBEAT_INTERVAL apply, as they always do without a wake socket.
   */
  pollAfterSeconds: number | null;
  readonly finishedJobs: Record<JobResultStatus, number>;
  /** Finished jobs by action. Only names in the contract are counted, which bounds the size of the map. */
  readonly finishedActions: Map<string, Record<JobResultStatus, number>>;
  readonly calls: Record<ServiceCall, CallFigures>;
}

export function newActivity(now: number): Activity {
  return {
    startedAt: now,
    agentId: null,
    poolId: null,
    enabled: null,
    isShuttingDown: false,
    connected: false,
    lastError: null,
    lastPollAt: null,
    lastHeartbeatAt: null,
    registrations: 0,
    failedCalls: 0,
    polls: 0,
    heartbeats: 0,
    acknowledgedResults: 0,
    wake: "off",
    wakeSince: now,
    wakeConnections: 0,
    wakes: 0,
    pollAfterSeconds: null,
    finishedJobs: noneFinished(),
    finishedActions: new Map(),
    calls: {
      register: noCalls(),
      jobs: noCalls(),
      results: noCalls(),
      heartbeat: noCalls(),
      offline: noCalls(),
    },
  };
}

export function noteFinished(activity: Activity, action: string | null, status: JobResultStatus): void {
  activity.finishedJobs[status]++;
  if (action === null || !isActionName(action)) return;
  const known = activity.finishedActions.get(action) ?? noneFinished();
  known[status]++;
  activity.finishedActions.set(action, known);
}

function noneFinished(): Record<JobResultStatus, number> {
  return { succeeded: 0, failed: 0, timed_out: 0, cancelled: 0, interrupted: 0 };
}

function noCalls(): CallFigures {
  return { answered: 0, failed: 0, totalMs: 0, lastMs: 0 };
}
