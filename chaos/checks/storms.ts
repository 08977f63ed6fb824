import { PAUSE_FOLLOWED_WITHIN_MS } from "../../schema/limits.ts";
import type { Evidence, ExecutionFact } from "../evidence.ts";
import { LIMIT, kindOf } from "../workflows.ts";
import { groupBy, time, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** One run of a workflow for each key: the next begins after the end of the one before. */
export function oneForEachKey({ executions }: Evidence): Violation[] {
  const alone = executions.filter(({ concurrencyKey, begunAt }) => concurrencyKey !== null && begunAt !== null);
  return [...groupBy(alone, ({ kind, concurrencyKey }) => `${kind} ${concurrencyKey ?? ""}`).values()].flatMap(
    (runs) => {
      const ordered = runs.toSorted((one, other) => beginOf(one) - beginOf(other));
      return ordered.slice(1).flatMap((later, index) => {
        const before = ordered[index];
        if (before === undefined || (before.finishedAt ?? Number.POSITIVE_INFINITY) <= beginOf(later)) return [];
        const detail = `${later.id} began at ${time(beginOf(later))}, before the end of ${before.id} with the same key`;
        return [violation("one run for each key", detail, later.id)];
      });
    },
  );
}

function beginOf({ begunAt }: ExecutionFact): number {
  return begunAt ?? 0;
}

/** No period of the limit has more runs than it allows, and every run with an unsafe job counts. */
export function withinLimits({ executions, jobs, limitUses }: Evidence): Violation[] {
  const check = "a limit is kept";
  const counted = new Set(limitUses.map(({ executionId }) => executionId));
  const unsafe = new Set(jobs.flatMap(({ effect, executionId }) => (effect === "unsafe" ? executionId : [])));
  const uncounted = executions
    .filter(({ id, kind }) => kindOf(kind).isLimited === true && unsafe.has(id) && !counted.has(id))
    .map(({ id }) => violation(check, `${id} has an unsafe job, and does not count`, id));
  const beyond = [...groupBy(limitUses, ({ key }) => key).values()].flatMap((uses) => {
    const ordered = uses.toSorted((one, other) => one.at - other.at);
    return ordered.slice(LIMIT.maxRuns).flatMap(({ at, key, executionId }, index) => {
      const first = ordered[index];
      if (first === undefined || at - first.at >= LIMIT.periodSeconds * 1_000) return [];
      const detail = `${executionId} is run ${LIMIT.maxRuns + 1} with the key ${key} within ${at - first.at} ms`;
      return [violation(check, detail, executionId)];
    });
  });
  return [...uncounted, ...beyond];
}

/** The service remembers the windows for at most 5 s. */
const WINDOW_FOLLOWED_WITHIN_MS = 5_000;

/** What a maintenance window holds begins after its end, and an event that comes while it is open is held. */
export function nothingBeginsInAWindow({ faults, executions }: Evidence): Violation[] {
  const check = "a maintenance window holds runs";
  return faults.flatMap(({ fault, confirmed, windowIds = [] }) => {
    if (fault.kind !== "holdRuns" || confirmed === undefined) return [];
    const { fromMs, toMs } = confirmed;
    return executions.flatMap(({ id, kind, heldBy, startedAt, begunAt }) => {
      if (begunAt === null || begunAt >= toMs) return [];
      const isHeld = heldBy !== null && windowIds.includes(heldBy);
      // A sub-workflow belongs to the run that started it.
      const isEvent = kindOf(kind).trigger !== "call";
      const cameInIt = isEvent && fromMs + WINDOW_FOLLOWED_WITHIN_MS < startedAt && startedAt < toMs;
      if (!isHeld && !cameInIt) return [];
      const detail = `${id} began at ${time(begunAt)}, before the end of the window at ${time(toMs)}`;
      return [violation(check, detail, id)];
    });
  });
}

/** While all runs are paused, no agent is given a job of a run. Tests of connections go on. */
export function nothingGivenInAPause({ faults, jobs }: Evidence): Violation[] {
  const pauses = faults.flatMap(({ fault, confirmed }) => (fault.kind === "pauseRuns" ? (confirmed ?? []) : []));
  return jobs.flatMap(({ id, executionId, deliveredAt }) => {
    if (executionId === null) return [];
    const pause = pauses.find(
      ({ fromMs, toMs }) =>
        deliveredAt !== null && fromMs + PAUSE_FOLLOWED_WITHIN_MS < deliveredAt && deliveredAt < toMs,
    );
    if (pause === undefined || deliveredAt === null) return [];
    const detail = `job ${id} was given at ${time(deliveredAt)}, ${deliveredAt - pause.fromMs} ms after all runs were paused`;
    return [violation("nothing is given in a pause", detail, executionId)];
  });
}
