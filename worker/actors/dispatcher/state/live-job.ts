import type { DeliveredStage, DispatchJob } from "../rules/job.ts";

/** A job that is not over. */
export interface LiveJob {
  /** The number of its row; rises with every job. */
  readonly seq: number;
  readonly job: DispatchJob;
  /** Whether its connection needs a credential, as it was last read (`JobTable.learn`); null before it was. */
  readonly needsCredential: boolean | null;
  /** Whether it could do without that credential, if the connection had none. */
  credentialIsOptional: boolean;
  /** True while its run is told of its agent's result: nothing else may end it then. */
  readonly isReporting: boolean;
  /** What its agent reports of the lease; null before it said something, and after a restart. */
  lastReport: LeaseReport | null;
}

/** Whether an agent says that it has what was delivered to it. */
export interface LeaseReport {
  readonly lease: string;
  readonly wasShown: boolean;
  /** Since when it says that it does not (epoch ms); null while it does. */
  readonly missedAt: number | null;
}

/** A live job that an agent holds, with what it holds it by. */
export interface HeldJob {
  readonly live: LiveJob;
  readonly stage: DeliveredStage;
}
