import { FINISHED_JOB_IDS_KEEP_MS } from "../../../schema/limits.ts";
import { resumeInterrupted } from "../../domain/notification.ts";
import { logError } from "../log.ts";
import { nextDue, nextPrune } from "./notifier.ts";
import type { Notifier } from "./notifier.ts";
import { sendDue } from "./send-due.ts";
import { tellEnds } from "./tell-ends.ts";

/** Should the work end half-way with its object, the next alarm rings then. */
const SAFETY_ALARM_MS = 30_000;
/** An alarm may work for some minutes; the next one goes on with what is under way. */
const WORK_MAX_MS = 60_000;
/** What a fault left due must not ring at once and for ever. */
const ALARMS_APART_MS = 100;

/**
 * What a Notifier does when its alarm rings. It stays until nothing is being sent: an object that nobody calls may be put
 * to sleep, and would lose a try's answer. Never throws, and arms the alarm before and after (design 3, "Alarms").
 */
export async function keepTime(notifier: Notifier): Promise<void> {
  const { alarm, timers, world } = notifier;
  alarm.rang();
  alarm.set(world.now() + SAFETY_ALARM_MS);
  timers.working = true;
  try {
    pruneWhenDue(notifier);
    resumeStray(notifier);
    sendDue(notifier);
    notifier.background(tellEnds(notifier));
    await staySending(notifier);
  } catch (error) {
    logError("a Notifier's alarm failed; it rings again", { error: String(error) });
  } finally {
    timers.working = false;
  }
  // While a try goes on, an alarm is at work: an object that nobody calls may be put to sleep.
  const due = notifier.sending.size > 0 ? world.now() : nextDue(notifier);
  alarm.set(due === null ? null : Math.max(due, world.now() + ALARMS_APART_MS));
}

/** While tries are under way, until something else is due: two alarms never ring at once. */
async function staySending(notifier: Notifier): Promise<void> {
  const { sending, world } = notifier;
  const until = world.now() + WORK_MAX_MS;
  while (sending.size > 0) {
    const waitMs = Math.min(until, nextDue(notifier) ?? until) - world.now();
    if (waitMs <= 0) return;
    await world.atMost(Promise.race(sending.values()), waitMs);
  }
}

/** A try whose end could not be noted. */
function resumeStray({ book, sending, world }: Notifier): void {
  for (const live of book.all()) {
    if (!sending.has(live)) book.change(live, resumeInterrupted(live.notification, world.now()));
  }
}

function pruneWhenDue({ timers, storage, world }: Notifier): void {
  const now = world.now();
  if (timers.pruneAt === null || timers.pruneAt > now) return;
  storage.deleteFinished(now - FINISHED_JOB_IDS_KEEP_MS);
  timers.pruneAt = nextPrune(storage);
}
