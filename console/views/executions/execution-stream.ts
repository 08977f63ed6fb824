import { LiveStream } from "../../api/live-stream.ts";
import type { Connect, StreamListener } from "../../api/live-stream.ts";
import type { ExecutionChange } from "./merge-events.ts";

export interface ExecutionListener extends StreamListener {
  /** The changes since the last call. */
  onChanges(changes: readonly ExecutionChange[]): void;
  /** The execution has ended, and the stream is closed. */
  onEnd(): void;
}

/** Changes of many iterations come in bursts and are reported together. */
const GATHER_MS = 100;

/** Follows one execution by server-sent events until it ends. Each new connection starts with the whole execution. */
export class ExecutionStream {
  readonly #stream: LiveStream;
  readonly #listener: ExecutionListener;
  #changes: ExecutionChange[] = [];
  #gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(executionId: string, listener: ExecutionListener, connect: Connect) {
    this.#listener = listener;
    this.#stream = new LiveStream(
      `/api/v1/automation/executions/${encodeURIComponent(executionId)}/events`,
      {
        execution: (data) => this.#report({ type: "execution", execution: JSON.parse(data) }),
        nodeRun: (data) => this.#report({ type: "nodeRun", nodeRun: JSON.parse(data) }),
        end: () => {
          this.#flush();
          this.close();
          this.#listener.onEnd();
        },
      },
      listener,
      connect,
    );
  }

  /** Opens the stream, or opens it again when it is open. */
  open(): void {
    this.#stream.open();
  }

  close(): void {
    this.#stream.close();
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#changes = [];
  }

  #report(change: ExecutionChange): void {
    this.#changes.push(change);
    this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) this.#listener.onChanges(changes);
  }
}
