import type { StreamClock, StreamEvent } from "./events-stream.ts";
import { reconnect } from "./follow-stream.ts";

/** An event goes out at most 5 s after a revocation; one second of that is for the time between check and send. */
const ASK_AGAIN_MS = 4_000;

/** A client's right to read a stream, which may end before the stream does. */
export interface StreamAccess {
  /** When the right was last confirmed (epoch ms). */
  readonly seenAt: number;
  /** When the right expires (epoch ms); null when it does not. */
  readonly endsAt: number | null;
  /** Checks the right again; false when it is gone or cannot be checked. Never throws. */
  stillAllowed(): Promise<boolean>;
}

/**
 * Passes a stream's events on while they may be read. The right is checked again before an event, unless it was
 * confirmed a moment ago, and at each heartbeat (invariant 8). A client that reconnects gets the reason.
 */
export async function* whileAllowed(
  events: AsyncGenerator<StreamEvent, void>,
  { seenAt, endsAt, stillAllowed }: StreamAccess,
  clock: StreamClock,
): AsyncGenerator<StreamEvent, void> {
  let lastSeenAt = seenAt;
  for await (const event of events) {
    const now = clock.now();
    if (endsAt !== null && now >= endsAt) return yield reconnect("These credentials have expired.");
    if (event.heartbeat === true || now - lastSeenAt >= ASK_AGAIN_MS) {
      if (!(await stillAllowed())) return yield reconnect("These credentials may no longer read this.");
      lastSeenAt = now;
    }
    yield event;
  }
}
