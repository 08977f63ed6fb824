import type { ExecutionStatus, ExecutionSummary } from "../../schema/contract/execution.ts";
import { LiveStream } from "./live-stream.ts";
import type { Connect, StreamListener, StreamState } from "./live-stream.ts";

export interface FeedFilter {
  workflowId?: string | undefined;
  /** `running` also reports executions that end. */
  status?: ExecutionStatus | undefined;
}

/** What has happened since the last report. */
export interface FeedChange {
  /** Changes may have been missed: read everything that is shown again, also when `executions` has entries. */
  reread: boolean;
  /** The current state of executions that began, changed or ended, each once, in the order of their last changes. */
  executions: readonly ExecutionSummary[];
}

export type FeedState = "connecting" | StreamState;

export interface FeedListener extends StreamListener {
  onChange(change: FeedChange): void;
}

const PATH = "/api/v1/automation/executions/events";
/** Changes come in bursts: the listener gets a burst as one change. */
const GATHER_MS = 250;

/** Follows executions by server-sent events while it is open. */
export class ExecutionFeed {
  readonly #stream: LiveStream;
  readonly #listener: FeedListener;
  #changed = new Map<string, ExecutionSummary>();
  #reread = false;
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(filter: FeedFilter, listener: FeedListener, connect: Connect) {
    const query = new URLSearchParams();
    if (filter.workflowId !== undefined) query.set("workflowId", filter.workflowId);
    if (filter.status !== undefined) query.set("status", filter.status);
    this.#listener = listener;
    this.#stream = new LiveStream(
      query.size === 0 ? PATH : `${PATH}?${query}`,
      {
        ready: () => this.#gather(null),
        resync: () => this.#gather(null),
        execution: (data) => this.#gather(JSON.parse(data)),
      },
      listener,
      connect,
    );
  }

  /** Opens the stream. An open one is closed first. */
  open(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Null: read everything again. */
  #gather(execution: ExecutionSummary | null): void {
    if (execution === null) this.#reread = true;
    else {
      // To the end of the map, which keeps the order of the last changes.
      this.#changed.delete(execution.id);
      this.#changed.set(execution.id, execution);
    }
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    this.#gathering = undefined;
    const change = { reread: this.#reread, executions: [...this.#changed.values()] };
    this.#reread = false;
    this.#changed = new Map();
    this.#listener.onChange(change);
  }
}
