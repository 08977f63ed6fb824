import { withTimeout } from "../../actors/kit/with-timeout.ts";
import { failureMessage } from "../../store/errors.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";

/** A tick of the minute ends before the next one. */
const TICK_LIMIT_MS = 50_000;
const CALL_LIMIT_MS = 10_000;
/** An isolate asks for an early look so often. The look comes later than this after the request, so it misses nothing. */
const NUDGES_APART_MS = 2_000;

/** The minute's look for what notification rules report. */
export async function alert(deps: Deps, now: number): Promise<void> {
  await withTimeout(TICK_LIMIT_MS, "looking for what rules report", deps.objects.alerter().tick(now));
}

let nudgedAt = 0;

/** Asks for an early look after an execution has failed. Never rejects: the minute's look finds the execution, too. */
export function nudgeAlerter({ objects, now }: Pick<Deps, "objects" | "now">): Promise<void> {
  if (now() - nudgedAt < NUDGES_APART_MS) return Promise.resolve();
  nudgedAt = now();
  return quietly(() => objects.alerter().nudge());
}

/** Makes the Alerter follow changed rules, receivers or channels at once. Never rejects: it follows within a minute anyway. */
export function refreshAlerter({ objects }: Pick<Deps, "objects">): Promise<void> {
  return quietly(() => objects.alerter().refresh());
}

async function quietly(call: () => Promise<void>): Promise<void> {
  try {
    await withTimeout(CALL_LIMIT_MS, "a call of the alerter", call());
  } catch (error) {
    logWarning("the alerter did not answer; its next look is within a minute", { error: failureMessage(error) });
  }
}
