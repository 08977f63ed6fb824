import type { StreamClock, StreamEvent } from "./events-stream.ts";
import { reconnect } from "./follow-stream.ts";

/** An event goes out at most 5 s after a revocation; a second of them is for what lies between asking and sending. */
const ASK_AGAIN_MS = 4_000;

/** The right of whoever follows, which may end before the stream does. */
export interface StreamAccess {
  /** When it was seen last (epoch ms). */
  readonly seenAt: number;
  /** When it ends by itself (epoch ms); null when it does not. */
  readonly endsAt: number | null;
  /** Asks for it again; false when it is gone, and when that cannot be told. Never throws. */
  stillAllowed(): Promise<boolean>;
}

/**
 * The events of a stream as long as they may be read: the right is asked for again before an event, unless it was seen a
 * moment ago, and at each heartbeat (invariant 8). Who comes back then is told what is the matter.
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
      if (!(await stillAllowed())) return yield reconnect("These credentials may not read this any more.");
      lastSeenAt = now;
    }
    yield event;
  }
}
