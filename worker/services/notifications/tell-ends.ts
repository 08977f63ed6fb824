import { logWarning } from "../log.ts";
import { CALLS_AT_ONCE, inTurns } from "../pool/tell-ends.ts";
import type { LiveNotification } from "./notification-book.ts";
import { nextPrune } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";

const RETRY_FIRST_MS = 1_000;
const RETRY_LONGEST_MS = 30_000;

/** Tells every end that Run has not taken. Never throws; what could not be told is tried again by the alarm. */
export async function tellEnds(notifier: Notifier): Promise<void> {
  const { timers, world, alarm } = notifier;
  const now = world.now();
  if (timers.tellFailures > 0 && timers.tellEndsAt !== null && timers.tellEndsAt > now) return;
  const ended = endedOf(notifier);
  timers.tellEndsAt = ended.length === 0 ? null : now + RETRY_LONGEST_MS;
  // Should the object end half-way, the alarm goes on.
  if (timers.tellEndsAt !== null) alarm.by(timers.tellEndsAt);
  const told = await inTurns(ended, CALLS_AT_ONCE, (live) => tell(notifier, live));
  if (told.every(Boolean)) {
    timers.tellFailures = 0;
    timers.tellEndsAt = endedOf(notifier).length === 0 ? null : timers.tellEndsAt;
    return;
  }
  timers.tellFailures += 1;
  timers.tellEndsAt = world.now() + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (timers.tellFailures - 1));
  alarm.by(timers.tellEndsAt);
}

function endedOf({ book }: Notifier): LiveNotification[] {
  return book.all().filter(({ notification }) => notification.stage.type === "ended");
}

/** One call at a time for each; a second one shares the first one's outcome. */
function tell(notifier: Notifier, live: LiveNotification): Promise<boolean> {
  live.telling ??= tellOnce(notifier, live).finally(() => {
    live.telling = null;
  });
  return live.telling;
}

async function tellOnce(notifier: Notifier, live: LiveNotification): Promise<boolean> {
  const { facts, stage } = live.notification;
  if (stage.type !== "ended") return true;
  try {
    await notifier.world.tellEnd(facts, stage.report);
  } catch (error) {
    const { jobId } = facts;
    logWarning("a notification's end could not be told; it is told again", { jobId, error: String(error) });
    return false;
  }
  notifier.book.finish(live, notifier.world.now());
  notifier.timers.pruneAt ??= nextPrune(notifier.storage);
  return true;
}
