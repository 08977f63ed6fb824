import { STREAM_HEARTBEAT_MS, STREAMS_PER_CALLER_MAX } from "../../schema/contract/execution-event.ts";
import { ProblemError } from "../services/problem.ts";

/** One that lives says something more often. */
const FORGOTTEN_AFTER_MS = 3 * STREAM_HEARTBEAT_MS;
const RETRY_AFTER_SECONDS = STREAM_HEARTBEAT_MS / 1_000;

/** One stream's place among those of its caller. */
export interface StreamPlace {
  /** Something was sent. */
  alive(now: number): void;
  ended(): void;
}

/**
 * How many streams each caller has open in one isolate: each is a request that lasts, and waits at an object. Where a
 * client just goes, nothing of the request runs any more that could say so: its stream is forgotten for its silence.
 */
export class OpenStreams {
  /** When each was last heard of, epoch ms. */
  readonly #byCaller = new Map<string, Map<symbol, number>>();

  /** Takes a place. Throws `rate_limit_exceeded`. */
  enter(caller: string, now: number): StreamPlace {
    const open = this.#byCaller.get(caller) ?? new Map<symbol, number>();
    for (const [stream, heardAt] of open) if (heardAt <= now - FORGOTTEN_AFTER_MS) open.delete(stream);
    if (open.size >= STREAMS_PER_CALLER_MAX) {
      throw new ProblemError(
        "rate_limit_exceeded",
        `${STREAMS_PER_CALLER_MAX} streams are open for this token or person already. Close some, or follow all executions with one.`,
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
