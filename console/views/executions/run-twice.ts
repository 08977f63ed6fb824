import type { Effect } from "../../../schema/contract/action-types.ts";

/** Whether a job can safely run again when its agent is lost and its outcome is unknown. */
export const SAFE_TO_RUN_TWICE = {
  read: "yes: it only reads",
  idempotent: "yes: repeating it has no further effect",
  unsafe: "no: repeating it does the work twice",
} as const satisfies Record<Effect, string>;
