import type { ExecutionPeriods, Former, WorkflowRetention } from "../../schema/contract/retention.ts";
import { RETENTION_SHORTER_AFTER_MS } from "../../schema/limits.ts";

/** Periods in days, as chosen. A former, longer period of the same name applies until its time (epoch ms). */
export interface ChosenPeriods<P extends Record<string, number>> {
  periods: P;
  former: Former<P> | null;
}

/** The periods that apply at a time: the longer of the chosen and the former one. */
export function periodsAt<P extends Record<string, number>>({ periods, former }: ChosenPeriods<P>, at: number): P {
  return former === null || at >= former.until ? periods : longerOf(periods, former.periods);
}

/**
 * A new choice. A longer period takes effect at once. When one becomes shorter, all periods of this moment stay for a
 * day, so that a mistake can be taken back: an earlier, pending choice may so take effect later, never earlier. When no
 * former period is longer than the chosen one, there is nothing to wait for.
 */
export function choosePeriods<P extends Record<string, number>>(
  before: ChosenPeriods<P>,
  periods: P,
  now: number,
): ChosenPeriods<P> {
  const isShorter = Object.entries(before.periods).some(([name, days]) => (periods[name] ?? days) < days);
  const former = isShorter
    ? { periods: periodsAt(before, now), until: now + RETENTION_SHORTER_AFTER_MS }
    : before.former;
  const applies =
    former !== null &&
    now < former.until &&
    Object.entries(former.periods).some(([name, days]) => days > (periods[name] ?? days));
  return { periods, former: applies ? former : null };
}

/** The periods of a workflow's executions: its own ones, and the deployment's for those that it does not have. */
export function withDefaults(own: WorkflowRetention | null, defaults: ExecutionPeriods): ExecutionPeriods {
  return {
    executionDays: own?.executionDays ?? defaults.executionDays,
    failedDays: own?.failedDays ?? defaults.failedDays,
  };
}

function longerOf<P extends Record<string, number>>(one: P, other: P): P {
  const longer = Object.entries(one).map(([name, days]) => [name, Math.max(days, other[name] ?? 0)]);
  // The same names as before: TypeScript does not know it of `fromEntries`.
  return { ...one, ...Object.fromEntries(longer) };
}
