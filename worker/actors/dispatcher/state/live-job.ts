import type { DeliveredStage, DispatchJob } from "../rules/job.ts";

/** A job that is not over, or whose end is not reported yet. */
export interface LiveJob {
  /** The number of its row; rises with every job. */
  readonly seq: number;
  readonly job: DispatchJob;
  /** Whether its connection needed a credential when last read (`JobTable.learn`); null before it was read. */
  readonly needsCredential: boolean | null;
  /** True when its connection needs a credential only because one was delivered. */
  credentialIsOptional: boolean;
  /** True while its agent's result is being reported to its run: nothing else may end it then. */
  readonly isReporting: boolean;
  /** What its agent last reported about the lease; null before the first report and after a restart. */
  lastReport: LeaseReport | null;
}

/** Whether an agent reports that it holds a delivered job. */
export interface LeaseReport {
  readonly lease: string;
  readonly wasShown: boolean;
  /** Since when the agent reports that it does not hold the job (epoch ms); null while it holds it. */
  readonly missedAt: number | null;
}

/** A job that an agent holds, with its lease. */
export interface HeldJob {
  readonly live: LiveJob;
  readonly stage: DeliveredStage;
}
