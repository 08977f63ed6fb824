import { STREAM_HEARTBEAT_MS, STREAMS_PER_CALLER_MAX } from "../../schema/contract/execution-event.ts";
import { ProblemError } from "../services/problem.ts";

/** A live stream sends something more often than this. */
const FORGOTTEN_AFTER_MS = 3 * STREAM_HEARTBEAT_MS;
const RETRY_AFTER_SECONDS = STREAM_HEARTBEAT_MS / 1_000;

/** One of a caller's open streams. */
export interface StreamPlace {
  /** To be called whenever something was sent. */
  alive(now: number): void;
  ended(): void;
}

/**
 * The open streams of each caller in one isolate. Each is a long request that waits at an object. After a client
 * disconnects silently, no code of the request runs, so a silent stream is dropped.
 */
export class OpenStreams {
  /** When each stream last sent something (epoch ms). */
  readonly #byCaller = new Map<string, Map<symbol, number>>();

  /** Adds a stream. Throws `rate_limit_exceeded`. */
  enter(caller: string, now: number): StreamPlace {
    const open = this.#byCaller.get(caller) ?? new Map<symbol, number>();
    for (const [stream, heardAt] of open) if (heardAt <= now - FORGOTTEN_AFTER_MS) open.delete(stream);
    if (open.size >= STREAMS_PER_CALLER_MAX) {
      throw new ProblemError(
        "rate_limit_exceeded",
        `This token or person already has ${STREAMS_PER_CALLER_MAX} open streams. Close some, or follow all executions with one stream.`,
        { headers: { "Retry-After": String(RETRY_AFTER_SECONDS) } },
      );
    }
    const stream = Symbol("stream");
    open.set(stream, now);
    this.#byCaller.set(caller, open);
    return {
      alive: (now) => void open.set(stream, now),
      ended: () => {
        open.delete(stream);
        if (open.size === 0 && this.#byCaller.get(caller) === open) this.#byCaller.delete(caller);
      },
    };
  }
}
