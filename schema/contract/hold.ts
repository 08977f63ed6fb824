/** Why an execution waits before its first node. Times are epoch ms. */
export type Hold = TurnHold | CollectingHold;

/** An earlier run with its key has not ended (docs/design/workflows.md#concurrency). */
export interface TurnHold {
  readonly code: "concurrency";
  readonly since: number;
  /** When it ends without having begun; absent for never. */
  readonly until?: number;
}

/** Further incident events with the key join it (docs/design/workflows.md#coalescing). */
export interface CollectingHold {
  readonly code: "collecting";
  readonly since: number;
  /** When it is decided how it enters. */
  readonly until: number;
  readonly key: string;
}
