import { z } from "zod";
import { FOREACH_CONCURRENCY_MAX, FOREACH_MAX_ITERATIONS, FOREACH_PAUSE_MAX_SECONDS } from "../limits.ts";
import { conditionGroupSchema } from "./condition.ts";
import type { ConditionGroup } from "./condition.ts";

/** How many items of a forEach run at a time, and when no further one begins (docs/design/workflows.md#foreach). */
export interface ForEachRules {
  concurrency?: number | undefined;
  /** A number of items, or a percentage of them: "10%". */
  maxFailures?: number | string | undefined;
  continueOnError?: boolean | undefined;
  batchSize?: number | undefined;
  pauseSeconds?: number | undefined;
  check?: ConditionGroup | undefined;
}

const WRONG_MAX_FAILURES = 'must be a number of items, or a percentage from "1%" to "100%"';

export const forEachRules = {
  concurrency: z.int().min(1).max(FOREACH_CONCURRENCY_MAX).optional(),
  maxFailures: z
    .union(
      [
        z.int().min(0).max(FOREACH_MAX_ITERATIONS),
        z.string().regex(/^(?:[1-9][0-9]?|100)%$/u, { error: WRONG_MAX_FAILURES }),
      ],
      { error: WRONG_MAX_FAILURES },
    )
    .optional()
    .describe(
      'How many items may fail: a number, or a percentage such as "10%", rounded down. After more failures no further item begins. Default 0.',
    ),
  continueOnError: z
    .boolean()
    .optional()
    .describe(
      "True: the node succeeds unless more than `maxFailures` items failed. Without it, one failure fails the node.",
    ),
  batchSize: z
    .int()
    .min(1)
    .max(FOREACH_MAX_ITERATIONS)
    .optional()
    .describe("Items begin in batches of this size: a batch begins when all items of the one before have ended."),
  pauseSeconds: z.int().min(0).max(FOREACH_PAUSE_MAX_SECONDS).optional().describe("The pause between batches."),
  check: conditionGroupSchema
    .optional()
    .describe("Must hold before each further batch; otherwise the node fails with `check_failed`."),
};

/** The names of `foreach` in `check`: what is known of the items so far. `foreach.parent` is the forEach around. */
export const SO_FAR = ["total", "succeeded", "failed", "notStarted", "results"] as const;
