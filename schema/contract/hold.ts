/** Why an execution waits before its first node. Times are epoch ms. */
export type Hold = TurnHold | CollectingHold | MaintenanceHold;

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
  /** Only events with the same one join it. */
  readonly key: string;
  /** Set when a window with the mode `ask` applied to its events as they came: then it waits for a person. */
  readonly asks?: { readonly window: SuppressingWindow; readonly writtenKey: string };
}

/** A maintenance window was open at its start (docs/design/workflows.md#maintenance-windows). */
export interface MaintenanceHold {
  readonly code: "maintenance";
  readonly since: number;
  /** The window's end; absent when it waits for a person, also after the window. */
  readonly until?: number;
  /** As the window was when it decided. */
  readonly window: SuppressingWindow;
}

export interface SuppressingWindow {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
}
