import type { NotificationRuleInput } from "../../../schema/contract/notification-rule.ts";
import { NOTICE_LINES_MAX } from "../../../schema/limits.ts";
import type { AlertLine } from "./event.ts";
import { shortLine } from "./line.ts";
import { quietUntil } from "./quiet-hours.ts";

const MINUTE_MS = 60_000;

/** The events of a rule that wait for their message. */
export interface Collected {
  readonly count: number;
  /** The first of them. */
  readonly lines: readonly AlertLine[];
}

export function collect(collected: Collected | null, line: AlertLine): Collected {
  const { count, lines } = collected ?? { count: 0, lines: [] };
  return { count: count + 1, lines: lines.length < NOTICE_LINES_MAX ? [...lines, shortLine(line)] : lines };
}

/** What waited longer, and what came after it, as one message. */
export function together(first: Collected | undefined, next: Collected | null): Collected | null {
  if (first === undefined || next === null) return first ?? next;
  const lines = [...first.lines, ...next.lines].slice(0, NOTICE_LINES_MAX);
  return { count: first.count + next.count, lines };
}

/**
 * When the next message of a rule may be sent, `now` or later (epoch ms), and whether it waits for the end of quiet
 * hours until then. The last one was sent at `lastSentAt`; null for none.
 */
export function nextSend(
  { groupMinutes, quietHours }: Pick<NotificationRuleInput, "groupMinutes" | "quietHours">,
  lastSentAt: number | null,
  now: number,
): { at: number; isQuiet: boolean } {
  // Later than now: the clock was set back since.
  const isFree = lastSentAt === null || lastSentAt > now;
  const at = isFree ? now : Math.max(now, lastSentAt + groupMinutes * MINUTE_MS);
  const quietEnd = quietUntil(quietHours, at);
  return { at: quietEnd ?? at, isQuiet: quietEnd !== null };
}
