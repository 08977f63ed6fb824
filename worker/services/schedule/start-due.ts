import { dueWorkflows } from "../../store/schedule.ts";
import type { SeenSchedule } from "../../store/schedule.ts";
import type { Deps } from "../deps.ts";
import { logWarning } from "../log.ts";
import { inParallel } from "./in-parallel.ts";
import { startScheduled } from "./start-scheduled.ts";

const PAGE = 200;
const STARTS_AT_ONCE = 32;
/** The next tick comes after 60 s. Schedules that are left then are overdue, and the next tick takes them first. */
const BUDGET_MS = 45_000;

/**
 * Starts every workflow whose schedule is due at `now` (epoch ms), the longest overdue first. One that cannot be
 * started stays due and does not hold up the others; the next tick tries it again.
 */
export async function startDueWorkflows(deps: Deps, now: number): Promise<void> {
  const giveUpAt = deps.now() + BUDGET_MS;
  const enough = () => deps.now() >= giveUpAt;
  let last: SeenSchedule | null = null;
  for (;;) {
    const page: Awaited<ReturnType<typeof dueWorkflows>> = await dueWorkflows(deps.db, now, {
      after: last,
      limit: PAGE,
    });
    await inParallel(page, STARTS_AT_ONCE, enough, (workflow) => startScheduled(deps, workflow, now));
    last = page.at(-1) ?? null;
    if (last === null || page.length < PAGE) return;
    if (enough()) {
      logWarning("not all due schedules could be started within a tick; the next one catches up on the rest", {
        since: new Date(last.dueAt ?? now).toISOString(),
      });
      return;
    }
  }
}
