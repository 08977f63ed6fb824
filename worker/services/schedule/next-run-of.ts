import type { Trigger } from "../../../schema/contract/workflow.ts";
import { nextRun } from "../../domain/cron/index.ts";

/** When a trigger is next due after `now` (epoch ms); null unless it is a schedule. */
export function nextRunOf(trigger: Trigger | null, now: number): number | null {
  return trigger?.type === "cron" ? nextRun(trigger, now) : null;
}

/** Whether two triggers are due at the same times. */
export function isSameSchedule(a: Trigger | null, b: Trigger): boolean {
  return a?.type === "cron" && b.type === "cron" && a.expression === b.expression && a.timezone === b.timezone;
}
