import type { LimitUse, WhenReached } from "../../../schema/contract/limit-group.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { shownTime } from "../shown-time.ts";

/** The answer to an execution that wants to order its first unsafe action. */
export type Reservation =
  | { readonly granted: true }
  | { readonly granted: false; readonly whenReached: WhenReached; readonly error: Failure };

interface Group {
  readonly name: string;
  readonly maxRuns: number;
  readonly periodSeconds: number;
  readonly whenReached: WhenReached;
}

interface Wanted extends LimitUse {
  /** Null when the group does not exist. */
  readonly group: Group | null;
  readonly isUsed: boolean;
  /** The executions of the newest uses, up to `RUNS_READ`. */
  readonly newest: readonly string[];
  /** The time of the use that must be a period old before the next run; null while the group has room. */
  readonly lastAt: number | null;
}

const MINUTE_MS = 60_000;
const SHOWN_RUNS = 5;
/** One more shows that there are others. */
export const RUNS_READ = SHOWN_RUNS + 1;

/**
 * Why these uses cannot be reserved; null when they now can. A group that does not exist allows nothing. When several
 * are reached, one that ends the run decides.
 */
export function judgeLimits(wanted: readonly Wanted[], now: number): Exclude<Reservation, { granted: true }> | null {
  const refusals = wanted.flatMap((one) => refusalOf(one, now) ?? []);
  return refusals.find(({ whenReached }) => whenReached === "end") ?? refusals[0] ?? null;
}

/** When the next run is possible (epoch ms); null for now. `uses` are those of the period, newest first. */
export function freeAt(
  { maxRuns, periodSeconds }: Pick<Group, "maxRuns" | "periodSeconds">,
  uses: readonly { readonly at: number }[],
): number | null {
  const last = uses[maxRuns - 1];
  return last === undefined ? null : afterPeriod(last.at, periodSeconds);
}

function afterPeriod(at: number, periodSeconds: number): number {
  return at + periodSeconds * 1_000;
}

function refusalOf({ groupId, key, group, isUsed, newest, lastAt }: Wanted, now: number) {
  if (isUsed) return null;
  if (group === null) {
    const message = `There is no limit ${groupId}. Choose another one in the workflow and publish again.`;
    return { granted: false, whenReached: "end", error: { code: "limit_group_not_found", message } } as const;
  }
  if (lastAt === null) return null;
  const next = afterPeriod(lastAt, group.periodSeconds);
  if (next <= now) return null;
  const message = `The limit "${group.name}" ${key === "" ? "" : `for the key "${key}" `}is reached: at most ${countOf(group.maxRuns)} in ${inWords(group.periodSeconds)}. Used by ${namesOf(newest)}. The next run is possible at ${shownTime(Math.ceil(next / MINUTE_MS) * MINUTE_MS)}.`;
  return { granted: false, whenReached: group.whenReached, error: { code: "limit_reached", message } } as const;
}

function namesOf(executionIds: readonly string[]): string {
  const others = executionIds.length > SHOWN_RUNS ? ["others"] : [];
  return [...executionIds.slice(0, SHOWN_RUNS), ...others].join(", ");
}

function countOf(runs: number): string {
  return runs === 1 ? "1 run" : `${runs} runs`;
}

function inWords(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
