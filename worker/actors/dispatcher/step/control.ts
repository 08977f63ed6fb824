import type { Effects } from "../events.ts";
import { releaseJob, waitsInPause } from "../rules/job.ts";
import type { DispatcherState } from "../state/state.ts";
import type { Handler } from "./handler.ts";

/** How often the end of a pause is looked for while jobs wait for it. With the cache, less than 5 s. */
const LOOK_EVERY_MS = 2_000;

/** Follows a pause or its end (docs/design/dispatch.md#pause). Reserved actions return to the queue. */
export const controlRead: Handler<"controlRead"> = (state, { control }, now) => {
  const { jobs, timers } = state;
  state.control = { ...control, readAt: now };
  timers.controlAt = null;
  jobs.follow(control);
  if (control.pause === null) jobs.queue.release();
  else
    for (const agentId of jobs.reservedAgents()) {
      const held = jobs.reservedFor(agentId).filter(({ job }) => waitsInPause(job.facts));
      for (const live of held) jobs.reserve(live, releaseJob(live.job));
    }
  return () => {};
};

/** While jobs wait for the end of a pause, the control object is read again and again. */
export function lookForResume({ control, jobs, timers }: DispatcherState, now: number, effects: Effects): void {
  if (control.pause === null || jobs.queue.size === 0) {
    timers.controlAt = null;
    return;
  }
  timers.controlAt ??= control.readAt + LOOK_EVERY_MS;
  if (timers.controlAt > now) return;
  effects.readControl = true;
  timers.controlAt = now + LOOK_EVERY_MS;
}
