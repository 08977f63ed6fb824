import type { ExecutionStatus, ExecutionSummary } from "../../schema/contract/execution.ts";
import { LiveStream } from "./live-stream.ts";
import type { Connect, StreamListener, StreamState } from "./live-stream.ts";

export interface FeedFilter {
  workflowId?: string | undefined;
  /** With `running`, ends are told, too. */
  status?: ExecutionStatus | undefined;
}

/** What has happened since it was last told. */
export interface FeedChange {
  /** Something may have been missed: read again what is shown, whatever else is in here. */
  reread: boolean;
  /** Executions that began, changed or ended, each once and as it is now, in the order of their last changes. */
  executions: readonly ExecutionSummary[];
}

export type FeedState = "connecting" | StreamState;

export interface FeedListener extends StreamListener {
  onChange(change: FeedChange): void;
}

const PATH = "/api/v1/automation/executions/events";
/** Changes come in bursts: what shows them is told of a burst at once. */
const GATHER_MS = 250;

/** Follows executions by server-sent events, for as long as it is open. */
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
        ready: () => this.#tell(null),
        resync: () => this.#tell(null),
        execution: (data) => this.#tell(JSON.parse(data)),
      },
      listener,
      connect,
    );
  }

  /** Opens it, or begins anew when it is open. */
  open(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
  }

  /** Null: read again. */
  #tell(execution: ExecutionSummary | null): void {
    if (execution === null) this.#reread = true;
    else {
      // Behind the others: the order is that of the last changes.
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
