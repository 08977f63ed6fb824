import { ProblemError } from "../problem.ts";

/** One server-sent event, or a part of one; `data` goes out as JSON. */
export interface StreamEvent {
  readonly event?: string;
  /** A client sends it back as `Last-Event-ID`. Without an event, it only moves the client's mark. */
  readonly id?: number;
  readonly data?: unknown;
  readonly retryMs?: number;
  /** Only shows that the stream is alive. */
  readonly heartbeat?: true;
}

/** A stream's access to time; tests pass their own. */
export interface StreamClock {
  now(): number;
  /** Resolves after `ms`, or as soon as `cancelled` does. */
  sleep(ms: number, cancelled?: Promise<unknown>): Promise<void>;
}

export const realClock: StreamClock = {
  now: Date.now,
  sleep: (ms, cancelled) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      void cancelled?.finally(() => {
        clearTimeout(timer);
        resolve();
      });
    }),
};

/** The outcome of a call that may fail, so that several waits for it need no separate error handling. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

export async function settle<T>(call: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await call() };
  } catch (error) {
    return { ok: false, error };
  }
}

/** The outcome of a call within `ms`, or null; the call continues, and can be waited for again. */
export async function within<T>(clock: StreamClock, call: Promise<Settled<T>>, ms: number): Promise<Settled<T> | null> {
  const over = Promise.withResolvers<void>();
  try {
    return await Promise.race([call, clock.sleep(ms, over.promise).then(() => null)]);
  } finally {
    over.resolve();
  }
}

/** The mark of a client that reconnects; null on its first request. Throws `invalid_request`. */
export function parseLastEventId(header: string | undefined): number | null {
  const text = header?.trim() ?? "";
  if (text === "") return null;
  if (/^\d{1,15}$/u.test(text)) return Number(text);
  throw new ProblemError(
    "invalid_request",
    "Last-Event-ID is not an id of this stream. Leave it out to start from the beginning.",
    {
      errors: [{ path: "Last-Event-ID", message: "must be the id of an event of this stream" }],
    },
  );
}
