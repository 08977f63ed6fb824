import type { Effect } from "../../../schema/contract/action-types.ts";

/** Whether a job can safely run again when its agent is lost and its outcome is unknown. */
export const SAFE_TO_RUN_TWICE = {
  read: "yes: it only reads",
  idempotent: "yes: a second run changes nothing more",
  unsafe: "no: a second run does its work twice",
} as const satisfies Record<Effect, string>;
