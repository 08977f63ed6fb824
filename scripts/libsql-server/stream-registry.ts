import { randomBytes } from "node:crypto";
import type { ConnectionPool } from "./connection-pool.ts";
import { HranaError } from "./errors.ts";
import { Stream } from "./stream.ts";
import type { WriterGate } from "./writer-gate.ts";

interface Parked {
  stream: Stream;
  expiry: ReturnType<typeof setTimeout>;
}

/** Each parked stream has open files. */
const MAX_PARKED = 128;
const MAX_REMEMBERED = 1_024;
const BATON_BYTES = 24;

/**
 * The streams that outlive a request. A baton is random, names its stream once and is replaced with every answer: no
 * client can guess its way into another transaction, and a request sent twice cannot run twice.
 */
export class StreamRegistry {
  readonly #pool: ConnectionPool;
  readonly #gate: WriterGate;
  readonly #idleLimitMs: number;
  readonly #parked = new Map<string, Parked>();
  /** Batons of streams that the server ended, kept so that their clients get the reason. */
  readonly #expired = new Set<string>();

  constructor(pool: ConnectionPool, gate: WriterGate, idleLimitMs: number) {
    this.#pool = pool;
    this.#gate = gate;
    this.#idleLimitMs = idleLimitMs;
  }

  /** A new stream, or the one that `baton` names. Throws `STREAM_EXPIRED` or `BATON_INVALID`. */
  open(baton: string | undefined): Stream {
    if (baton === undefined) return new Stream();
    const parked = this.#parked.get(baton);
    if (parked !== undefined) {
      this.#parked.delete(baton);
      clearTimeout(parked.expiry);
      return parked.stream;
    }
    if (this.#expired.has(baton)) {
      throw new HranaError(
        "STREAM_EXPIRED",
        `The stream was idle for more than ${this.#idleLimitMs / 1_000} s; its transaction was rolled back; begin a new one`,
      );
    }
    throw new HranaError(
      "BATON_INVALID",
      "The baton is unknown: used before, its stream closed, or the server restarted; begin a new transaction",
    );
  }

  /**
   * Call before a pipeline whose stream will stay. At the limit, the server closes an idle stream without a
   * transaction. Throws `TOO_MANY_STREAMS`.
   */
  makeRoom(): void {
    if (this.#parked.size < MAX_PARKED) return;
    for (const [baton, { stream }] of this.#parked) {
      if (stream.connection?.inTransaction !== true) return this.#expire(baton);
    }
    throw new HranaError("TOO_MANY_STREAMS", "Too many transactions are open; end some, then retry", 503);
  }

  /** Keeps a stream for its next pipeline and returns the stream's new baton. */
  park(stream: Stream): string {
    const baton = randomBytes(BATON_BYTES).toString("base64url");
    this.#parked.set(baton, { stream, expiry: setTimeout(() => this.#expire(baton), this.#idleLimitMs) });
    return baton;
  }

  /** Rolls back an open transaction, gives the connection back and admits the next writer. */
  close(stream: Stream): void {
    const { connection } = stream;
    stream.connection = undefined;
    try {
      if (connection !== undefined) this.#pool.give(connection);
    } finally {
      this.#gate.release(stream);
    }
  }

  closeAll(): void {
    for (const baton of this.#parked.keys()) this.#expire(baton);
  }

  #expire(baton: string): void {
    const parked = this.#parked.get(baton);
    if (parked === undefined) return;
    this.#parked.delete(baton);
    clearTimeout(parked.expiry);
    this.#expired.add(baton);
    for (const oldest of this.#expired) {
      if (this.#expired.size <= MAX_REMEMBERED) break;
      this.#expired.delete(oldest);
    }
    this.close(parked.stream);
  }
}
