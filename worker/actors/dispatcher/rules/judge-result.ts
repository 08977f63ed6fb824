import type { LeaseRef } from "../../../../schema/contract/agent.ts";
import type { DispatchJob } from "./job.ts";

/** A job that is over. Kept for 24 h, to recognise repeated results. */
export interface FinishedJob {
  readonly jobId: string;
  readonly attempt: number;
  readonly lease: string | null;
  readonly agentId: string | null;
  /** See `JobOrder.reroutes`. */
  readonly reroutes: number;
  /** What ended it here: the agent's result, the dispatcher itself, or its connection's move to another pool. */
  readonly by: "result" | "service" | "rerouted";
  /** The outcome that the health score counts; null when it counts none. */
  readonly succeeded: boolean | null;
  /** Epoch milliseconds. */
  readonly finishedAt: number;
}

export type LeaseVerdict = "current" | "duplicate" | "stale" | "unknown";

/**
 * Whether a lease that an agent shows is the valid one (invariant 2). `job` is null when the dispatcher has none of
 * that id; `finished` are the job's attempts that are over.
 */
export function judgeLease(
  job: DispatchJob | null,
  finished: readonly FinishedJob[],
  agentId: string,
  ref: LeaseRef,
): LeaseVerdict {
  if (job?.stage.type === "delivered" && job.stage.agentId === agentId && job.stage.lease === ref.lease) {
    return "current";
  }
  const sameLease = finished.find((past) => past.agentId === agentId && past.lease === ref.lease);
  if (sameLease?.by === "result") return "duplicate";
  return job === null && finished.length === 0 ? "unknown" : "stale";
}
